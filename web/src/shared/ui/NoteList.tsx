// SPDX-License-Identifier: Apache-2.0
import { ServerText } from "./ServerText";

export function NoteList({ notes }: { notes: readonly string[] }) {
  return (
    <ul className="notes">
      {notes.map((note) => (
        <li key={note}>
          <ServerText>{note}</ServerText>
        </li>
      ))}
    </ul>
  );
}
