// SPDX-License-Identifier: Apache-2.0
/** Keys of the pages and what they do; the help shows this list, the pages act on it. */

export const KEYS = [
  { keys: ["j", "k"], does: "Next, previous commit or alert" },
  { keys: ["Enter"], does: "Compare the commit with its base" },
  { keys: ["c"], does: "Mark a commit; on a second commit: compare the two" },
  { keys: ["o"], does: "On a commit: open or close the verdicts of all its scenarios" },
  { keys: ["Ctrl+K"], does: "Go to a page, project, scenario, host or commit by its name" },
  { keys: ["/"], does: "Search the list" },
  { keys: ["g"], does: "Go to the list of commits" },
  { keys: ["h"], does: "Go to the history" },
  { keys: ["l"], does: "Go to the alerts" },
  { keys: ["a"], does: "On an alert: acknowledge it and assign it to you" },
  { keys: ["e"], does: "On an alert: mark it as expected, with a reason and a bound" },
  { keys: ["f"], does: "On an alert: mark it as a false alarm" },
  { keys: ["x"], does: "On an alert: mark it as fixed; in the list: choose it" },
  { keys: ["r"], does: "On an alert: reopen it" },
  { keys: ["m"], does: "On an alert: mute its scenario for a while" },
  { keys: ["u"], does: "On alerts: undo your last change" },
  { keys: ["n"], does: "On an alert: measure it again" },
  { keys: ["b"], does: "On an alert: bisect" },
  { keys: ["+", "-", "0"], does: "On the history: zoom in, zoom out, all commits" },
  { keys: ["[", "]"], does: "On the history: earlier, later" },
  { keys: ["←", "→"], does: "On a chart: read the commit before, the commit after; with Shift ten at once" },
  { keys: ["t"], does: "Light or dark" },
  { keys: ["Esc"], does: "Clear the mark, close the open dialog" },
  { keys: ["?"], does: "This help" },
] as const;

/** Where the cursor goes: one step, not past the ends; from nowhere to the first. */
export function moved(current: number, step: 1 | -1, count: number): number {
  if (count === 0) return -1;
  if (current < 0) return 0;
  return Math.min(Math.max(current + step, 0), count - 1);
}

const REPEATED: readonly string[] = ["j", "k", "[", "]", "+", "-"];

export interface Pressed {
  key: string;
  repeat: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  target: unknown;
}

/** A single key is a command unless a modifier is held or somebody is typing. Held down, it moves, and does nothing else. */
export function isCommand(event: Pressed): boolean {
  if (event.repeat && !REPEATED.includes(event.key)) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const target = event.target as { tagName?: string; isContentEditable?: boolean } | null;
  const tag = target?.tagName?.toUpperCase() ?? "";
  return !["INPUT", "TEXTAREA", "SELECT"].includes(tag) && target?.isContentEditable !== true;
}

/** The two commits to compare, older first, as the list (newest first) has them. */
export function comparePair(
  marked: string,
  current: string,
  order: readonly string[],
): { base: string; head: string } | null {
  const [a, b] = [order.indexOf(marked), order.indexOf(current)];
  if (a < 0 || b < 0 || a === b) return null;
  return a > b ? { base: marked, head: current } : { base: current, head: marked };
}
