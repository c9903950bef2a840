// SPDX-License-Identifier: Apache-2.0

/** Everything of the project as a file. */
export function ExportLinks({ project }: { project: string }) {
  const address = `/api/v1/projects/${encodeURIComponent(project)}/export`;
  return (
    <p>
      <a href={`${address}?format=json`}>Everything as JSON lines</a> ·{" "}
      <a href={`${address}?format=csv`}>Figures as CSV</a> · another server can import either file.
    </p>
  );
}
