// SPDX-License-Identifier: Apache-2.0

/** The values of all series as a file, and what it is good for. */
export function ExportLinks({ project }: { project: string }) {
  const address = `/api/v1/projects/${encodeURIComponent(project)}/export`;
  return (
    <>
      <p>
        Values of all series: <a href={`${address}?format=csv`}>CSV</a> ·{" "}
        <a href={`${address}?format=json`}>JSON</a>
      </p>
      <p>
        The files are for other programs. A server imports the CSV as figures that it does not judge, and it
        does not import the JSON. An operator saves the whole server with <code>nalm-server backup</code>.
        docs/store.md describes the columns, further tables and formats, import and backup.
      </p>
    </>
  );
}
