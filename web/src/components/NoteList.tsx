// SPDX-License-Identifier: Apache-2.0
export function NoteList({ notes }: { notes: readonly string[] }) {
  return (
    <ul className="notes">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
