// SPDX-License-Identifier: Apache-2.0
/** What stands where no project is to be seen: the way to the first one, or to signing in. */
import { Link } from "@tanstack/react-router";
import { SignInButton } from "../../shared/ui/AccountMenu";
import { useSession } from "../../shared/ui/hooks/useSession";
import { FirstLink, isNewServer } from "../../shared/ui/NewServer";
import { CenterState } from "../../shared/ui/States";

export function FirstProject() {
  const session = useSession();
  if (isNewServer(session))
    return (
      <CenterState icon="feature" title="A new server">
        <FirstLink />
      </CenterState>
    );
  if (session?.name === null) return <NonePublic />;
  return (
    <CenterState icon="feature" title="No project yet">
      <p>Three steps lead from here to the first verdict.</p>
      <ol className="steps">
        <li>
          In the repository of the network function, generate nalm.toml:
          <code className="command">nalm init</code>
        </li>
        <li>
          On this server, add the repository; the webhook's secret and a token are shown once:{" "}
          {session?.administrator ? (
            <Link to="/new">Create a project</Link>
          ) : (
            <code className="command">nalm-server project add NAME --repository ADDRESS</code>
          )}
        </li>
        <li>
          Set the address and the secret as a webhook in the forge. The next merge appears here while it is
          measured.
        </li>
      </ol>
    </CenterState>
  );
}

function NonePublic() {
  return (
    <CenterState icon="help" title="No project is public here">
      <p>Members of a project see it when they are signed in.</p>
      <SignInButton />
    </CenterState>
  );
}
