// SPDX-License-Identifier: Apache-2.0
import { ActionError } from "./ActionError";

interface Props {
  save: { isSuccess: boolean; error: Error | null };
  of: { changed: object; overtaken: boolean };
  done?: string;
}

/** How it stands with a form of stored values: refused, overtaken by somebody else, or saved as it is. */
export function SaveState({ save, of, done = "Saved." }: Props) {
  return (
    <>
      <ActionError error={save.error} />
      {of.overtaken && (
        <p role="status" className="held">
          Somebody changed this while you did. Saving replaces their values with yours.
        </p>
      )}
      {save.isSuccess && Object.keys(of.changed).length === 0 && <p role="status">{done}</p>}
    </>
  );
}
