// SPDX-License-Identifier: Apache-2.0
/** Where one can go by name. */

export interface Place {
  name: string;
  /** What it is, in a word or two. */
  kind: string;
  href: string;
}

/** Of a project: name, and address below it. */
export const PROJECT_PAGES = [
  ["Commits", ""],
  ["Weeks", "/weeks"],
  ["Alerts", "/alerts"],
  ["History", "/history"],
  ["Compare", "/compare"],
  ["Features", "/features"],
  ["Models", "/models"],
  ["Quality", "/detection-quality"],
  ["Queue", "/queue"],
  ["Measure", "/measure"],
  ["Settings", "/settings"],
] as const;

export const SERVER_PAGES = [
  ["Overview", "/"],
  ["Whole queue", "/queue"],
  ["Hosts", "/hosts"],
  ["My alerts", "/mine"],
  ["Account", "/account"],
] as const;

/** So many are offered at once. */
const MOST = 30;

/** Those whose name has every typed word, names that begin with the text first. */
export function matching(places: readonly Place[], typed: string): Place[] {
  const text = typed.trim().toLowerCase();
  const words = text.split(/\s+/);
  const found = places.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const begins = ({ name }: Place): boolean => name.toLowerCase().startsWith(text);
  return [...found.filter(begins), ...found.filter((one) => !begins(one))].slice(0, MOST);
}
