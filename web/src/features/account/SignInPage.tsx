// SPDX-License-Identifier: Apache-2.0
/** By name and password, or by the one-time link that was opened; then back to where one was. */
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useLocation, useRouter } from "@tanstack/react-router";
import { sessionQuery, signInByLink, signInByPassword } from "../../shared/api/session";
import type { SignedIn } from "../../shared/api/types";
import { linkOf, returnPath } from "../../shared/logic/roles";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useSession } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { FirstLink, isNewServer } from "../../shared/ui/NewServer";
import { PageHead } from "../../shared/ui/PageHead";
import { ProviderButtons } from "./ProviderButtons";

const route = getRouteApi("/sign-in");

export function SignInPage() {
  useTitle("Sign in");
  const { to } = route.useSearch();
  const link = linkOf(useLocation({ select: (location) => location.hash }));
  const router = useRouter();
  const queries = useQueryClient();
  const entered = async (session: SignedIn): Promise<void> => {
    await queries.resetQueries({ predicate: (query) => query.queryKey[0] !== "session" });
    queries.setQueryData(sessionQuery().queryKey, session);
    router.history.replace(session.by_link ? "/account" : returnPath(to));
  };
  return (
    <div className="narrow">
      <PageHead title="Sign in" />
      {link ? (
        <ByLink link={link} onEntered={entered} />
      ) : (
        <ByPassword to={returnPath(to)} onEntered={entered} />
      )}
    </div>
  );
}

type Entered = { onEntered: (session: SignedIn) => Promise<void> };

function ByPassword({ to, onEntered }: Entered & { to: string }) {
  const session = useSession();
  const form = useForm({ initialValues: { name: "", password: "" } });
  const { name, password } = form.values;
  const enter = useAction(() => signInByPassword(name, password), { onDone: onEntered });
  return (
    <form className="panel form" onSubmit={form.onSubmit(() => enter.mutate(undefined))}>
      {session?.name && (
        <p className="soft">
          You are signed in as {session.name}. <Link to="/">Overview</Link>
        </p>
      )}
      <TextInput
        label="Name"
        name="username"
        autoComplete="username"
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <PasswordInput
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        {...form.getInputProps("password")}
      />
      <ActionError error={enter.error} />
      <Button type="submit" loading={enter.isPending}>
        Sign in
      </Button>
      <ProviderButtons to={to} />
      <div className="soft">
        {isNewServer(session) ? (
          <FirstLink />
        ) : (
          <p>
            No account, or password lost? An administrator can create a one-time link:{" "}
            <code>nalm-server account link NAME</code>
          </p>
        )}
      </div>
    </form>
  );
}

/** A button, not at once: programs that look at links before people do must not use it up. */
function ByLink({ link, onEntered }: Entered & { link: string }) {
  const enter = useAction(() => signInByLink(link), { onDone: onEntered });
  return (
    <div className="panel form">
      <p>This link signs you in once. Then choose a password.</p>
      <ActionError error={enter.error} />
      <Button loading={enter.isPending} onClick={() => enter.mutate(undefined)}>
        Sign in with this link
      </Button>
      <a href="/sign-in">Sign in with name and password</a>
    </div>
  );
}
