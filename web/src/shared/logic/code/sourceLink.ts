// SPDX-License-Identifier: Apache-2.0
/** Address of a line at the forge. Files outside the repository (headers of the system, libraries) have none. */
export function lineLink(
  template: string | null | undefined,
  sha: string | null,
  file: string | null | undefined,
  line: number | null | undefined,
): string | null {
  if (!template || !sha || !file || file.startsWith("/") || file.split("/").includes("..")) return null;
  const path = file.split("/").map(encodeURIComponent).join("/");
  return template
    .replace("{sha}", sha)
    .replace("{file}", path)
    .replace("{line}", String(line ?? 1));
}
