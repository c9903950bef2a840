// SPDX-License-Identifier: Apache-2.0
/** Which buttons are offered to whom. The server decides what is allowed; this only spares refusals. */

const ROLES = ["reader", "developer", "maintainer", "administrator"] as const;
export type Role = (typeof ROLES)[number];

interface SessionLike {
  name: string | null;
  administrator: boolean;
  roles: readonly { project: string; role: Role }[];
}

/** Whether the one signed in has at least this role in the project. */
export function may(session: SessionLike | undefined, project: string, needed: Role): boolean {
  if (!session || session.name === null) return false;
  if (session.administrator) return true;
  const role = session.roles.find((one) => one.project === project)?.role;
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The secret of a one-time link, from the part of the address behind `#`, which is sent to no server. */
export const linkOf = (hash: string): string | null =>
  new URLSearchParams(hash.replace(/^#/, "")).get("link") || null;

/** Where to go after signing in: a path of this server and nothing else. */
export const returnPath = (requested: string | undefined): string =>
  requested !== undefined && /^\/(?![/\\])/.test(requested) && !requested.startsWith("/sign-in")
    ? requested
    : "/";

/** What is wrong with a new password, before it is sent; null: nothing. */
export function passwordFault(requested: string, again: string): string | null {
  if (requested.length < 12) return "12 characters or more; a sentence is fine.";
  return requested === again ? null : "The passwords do not match.";
}
