// SPDX-License-Identifier: Apache-2.0
/** Where nobody has signed in yet: the way to the first administrator's link. */
import type { SignedIn } from "../api/types";
import { useSession } from "./hooks/useSession";

export const isNewServer = (session: SignedIn | undefined): boolean => session?.new_server ?? false;

export function FirstLink() {
  return (
    <p>
      Nobody has signed in to this server yet. The administrator's one-time link was printed where the server
      was started, by <code>make run</code> at its end, by <code>nalm-server up</code> at its start. On that
      host, <code>nalm-server account link admin</code>, with the server's <code>--state</code>, prints
      another one.
    </p>
  );
}

/** Above what strangers may see. */
export function NewServerNote() {
  if (!isNewServer(useSession())) return null;
  return (
    <aside className="panel panel-body soft" aria-label="First sign-in">
      <FirstLink />
    </aside>
  );
}
