// SPDX-License-Identifier: Apache-2.0

/** Lines with something on them; null for none. */
export function lines(text: string): string[] | null {
  const found = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return found.length > 0 ? found : null;
}

/** Where forges send their webhooks, by the forge's name. */
export const hookAddresses = (origin: string, project: string): [string, string][] =>
  (["github", "gitlab", "gitea", "generic"] as const).map((forge) => [
    { github: "GitHub", gitlab: "GitLab", gitea: "Gitea, Forgejo", generic: "Any other" }[forge],
    `${origin}/api/v1/hooks/${forge}?project=${encodeURIComponent(project)}`,
  ]);

/** What a schedule compares the tip of the default branch with. */
export const AGAINST_WORDS = {
  previous: "Its previous measurement",
  release: "The newest release",
  parent: "Its parent",
  each: "The parent, for each new commit",
} as const;
