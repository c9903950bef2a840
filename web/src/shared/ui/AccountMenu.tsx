// SPDX-License-Identifier: Apache-2.0
/** Who is signed in, at the end of the frame; or the way to sign in, and back to where one was. */
import { Button, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { signOut } from "../api/session";
import { returnPath } from "../logic/roles";
import { useAction } from "./hooks/useAction";
import { useSession } from "./hooks/useSession";

export function AccountMenu() {
  const session = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = useAction(signOut, {
    onDone: async () => {
      await queries.resetQueries();
      navigate({ to: "/" });
    },
  });
  if (session === undefined) return null;
  if (session.name === null) return <SignInLink />;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-sm" className="who">
          {session.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{session.administrator ? "Administrator" : rolesText(session.roles.length)}</Menu.Label>
        <Menu.Item component={Link} to="/account">
          Password and tokens
        </Menu.Item>
        <Menu.Item onClick={() => leave.mutate(undefined)}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const rolesText = (count: number): string => `Roles in ${count} ${count === 1 ? "project" : "projects"}`;

/** Of the sign-in page, keeping the address one is at, to return to. */
function useSignIn() {
  const here = returnPath(useLocation({ select: (location) => location.href }));
  return { to: "/sign-in", search: here === "/" ? {} : { to: here } } as const;
}

function SignInLink() {
  return (
    <Link {...useSignIn()} className="tab sign-in-link">
      Sign in
    </Link>
  );
}

/** In the place of a page that strangers do not see. */
export function SignInButton() {
  const there = useSignIn();
  return (
    <Button size="xs" renderRoot={(props) => <Link {...there} {...props} />}>
      Sign in
    </Button>
  );
}
