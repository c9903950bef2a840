// SPDX-License-Identifier: Apache-2.0
/** The overview as people read it. */
import { byUrgency } from "./run/verdict";

interface JudgedLike {
  project: string;
  display: string;
  runs: number;
}
export interface JudgedProject<T> {
  project: string;
  displays: T[];
}

/** Counts of one project together, what a reader wants to see first, first. */
export function byProject<T extends JudgedLike>(judged: readonly T[]): JudgedProject<T>[] {
  const names = [...new Set(judged.map((one) => one.project))];
  return names.map((project) => ({
    project,
    displays: byUrgency(judged.filter((one) => one.project === project)),
  }));
}

interface TrendLike {
  points: readonly { week: string; level: number }[];
}

/** Levels of a trend with at least one week, relative to its first week, which begins at "W36". */
export function trendOf({ points }: TrendLike): { levels: number[]; since: string; total: number } {
  const first = points[0]?.level ?? 1;
  const levels = points.map((one) => one.level / first);
  return { levels, since: points[0]?.week.split("-").at(-1) ?? "", total: levels.at(-1) ?? 1 };
}

/** What was kept as the moment of the last look; null: nothing, or nothing that is a moment. */
export const momentOf = (kept: string | null): string | null =>
  kept !== null && !Number.isNaN(Date.parse(kept)) ? kept : null;

const HOST_ORDER = ["sick", "offline", "draining", "online", "revoked"];
/** Those first that somebody should look at. */
export const byNeed = <T extends { state: string; name: string }>(hosts: readonly T[]): T[] =>
  [...hosts].sort(
    (a, b) => HOST_ORDER.indexOf(a.state) - HOST_ORDER.indexOf(b.state) || a.name.localeCompare(b.name),
  );

/** "1 alert", "3 alerts". */
export const counted = (number: number, word: string): string =>
  `${number} ${word}${number === 1 ? "" : "s"}`;

interface StateLike {
  name: string;
  alerts_open: number;
  problems: readonly unknown[];
}

/** Projects with the most open alerts first, then those whose commits are not measured, then by name. */
export const byState = <T extends StateLike>(projects: readonly T[]): T[] =>
  [...projects].sort(
    (a, b) =>
      b.alerts_open - a.alerts_open ||
      Number(b.problems.length > 0) - Number(a.problems.length > 0) ||
      a.name.localeCompare(b.name),
  );
