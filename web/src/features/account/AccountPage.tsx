// SPDX-License-Identifier: Apache-2.0
/** What belongs to the one who is signed in: the password and tokens for programs. */
import { Button, PasswordInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { changePassword } from "../../shared/api/session";
import { addOwnToken, ownTokensQuery, revokeOwnToken } from "../../shared/api/tokens";
import type { OwnTokenNew, SignedIn } from "../../shared/api/types";
import { passwordFault } from "../../shared/logic/roles";
import { SignInButton } from "../../shared/ui/AccountMenu";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useSession } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { CenterState, FailedPart, Loading } from "../../shared/ui/States";
import { TokenList } from "../../shared/ui/TokenList";

export function AccountPage() {
  useTitle("Account");
  const session = useSession();
  if (session === undefined) return <Loading />;
  if (session.name === null)
    return (
      <>
        <PageHead title="Account" />
        <CenterState icon="help" title="You are not signed in">
          <SignInButton />
        </CenterState>
      </>
    );
  if (session.csrf === null)
    return (
      <>
        <PageHead title="Account" />
        <CenterState icon="help" title="A token has no account">
          <p>
            This browser sends the token {session.name} instead of a sign-in. It has no password to change and
            no tokens of its own. To see an account, stop sending the token and sign in.
          </p>
        </CenterState>
      </>
    );
  return (
    <>
      <PageHead title={session.name} under={session.administrator ? "Administrator" : undefined} />
      <Panel title="Password">
        <Password session={session} />
      </Panel>
      <Panel title="Tokens for programs">
        <Tokens administrator={session.administrator} />
      </Panel>
    </>
  );
}

function Password({ session }: { session: SignedIn }) {
  const form = useForm({
    initialValues: { old: "", password: "", again: "" },
    validate: { again: (value, { password }) => passwordFault(password, value) },
  });
  const { old, password, again } = form.values;
  const change = useAction(() => changePassword(session.by_link ? null : old, password), {
    renews: ["session"],
    onDone: form.reset,
  });
  const fault = again === "" ? null : passwordFault(password, again);
  return (
    <form className="form" onSubmit={form.onSubmit(() => change.mutate(undefined))}>
      <input type="text" hidden readOnly autoComplete="username" value={session.name ?? ""} />
      {session.by_link ? (
        <p>You signed in with a one-time link. Choose a password for the next time.</p>
      ) : (
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          {...form.getInputProps("old")}
        />
      )}
      <PasswordInput
        label="New password"
        description="12 characters or more"
        autoComplete="new-password"
        required
        {...form.getInputProps("password")}
      />
      <PasswordInput
        label="New password again"
        autoComplete="new-password"
        required
        {...form.getInputProps("again")}
        error={fault}
      />
      <ActionError error={change.error} />
      {change.isSuccess && <p role="status">The password was changed.</p>}
      <Button type="submit" loading={change.isPending}>
        Change password
      </Button>
    </form>
  );
}

const SCOPES = ["read", "upload", "measure", "maintain"];

function Tokens({ administrator }: { administrator: boolean }) {
  const { data: tokens, error, refetch } = useQuery(ownTokensQuery());
  if (tokens === undefined)
    return error ? <FailedPart error={error} onRetry={refetch} /> : <Loading rows={2} />;
  return (
    <TokenList
      tokens={tokens}
      scopes={administrator ? [...SCOPES, "admin"] : SCOPES}
      onAdd={(requested) => addOwnToken({ ...requested, scope: requested.scope as OwnTokenNew["scope"] })}
      onRevoke={revokeOwnToken}
    />
  );
}
