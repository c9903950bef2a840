// SPDX-License-Identifier: Apache-2.0
/** What a week or a commit did over all scenarios, in words, as a file, and as the Markdown of a badge. */
import type { OverallChange, Week } from "../../shared/api/types";
import type { Display } from "../../shared/logic/run/verdict";
import { type Row, table } from "../../shared/logic/text/csv";

export interface Counted {
  display: Display;
  word: string;
  count: number;
}

/** How many scenarios have which outcome, the worst first, without those that none has. */
export const counted = (of: OverallChange): Counted[] =>
  (
    [
      { display: "regressed", word: "regressed", count: of.regressed },
      { display: "broken", word: "broken", count: of.broken },
      { display: "inconclusive", word: "undecided", count: of.undecided },
      { display: "improved", word: "improved", count: of.improved },
      { display: "same", word: "same", count: of.same },
    ] satisfies Counted[]
  ).filter(({ count }) => count > 0);

/** The colour of a mean: that of a direction only if its interval excludes no change. */
export function direction(of: { low: number | null; high: number | null }): Display {
  if (of.low !== null && of.low > 1) return "regressed";
  return of.high !== null && of.high < 1 ? "improved" : "same";
}

/** Intervals are drawn to at least this |ln ratio|, and to no more than the other. */
const LEAST_REACH = 0.02;
const MOST_REACH = 0.3;

/** |ln ratio| at the edge of the drawn intervals. */
export function reachOf(changes: readonly ({ low: number | null; high: number | null } | null)[]): number {
  const ends = changes.flatMap((one) => [one?.low, one?.high]).filter((end) => end != null);
  const furthest = Math.max(LEAST_REACH, ...ends.map((end) => Math.abs(Math.log(end))));
  return Math.min(furthest * 1.1, MOST_REACH);
}

export const weeksFile = (weeks: readonly Week[]): Row[] =>
  table(weeks, {
    week: (one) => one.week,
    start: (one) => one.start,
    commits: (one) => one.commits,
    measured: (one) => one.measured,
    "cpp [ratio]": (one) => one.overall.ratio,
    "low [ratio]": (one) => one.overall.low,
    "high [ratio]": (one) => one.overall.high,
    scenarios_averaged: (one) => one.overall.averaged,
    regressed: (one) => one.overall.regressed,
    improved: (one) => one.overall.improved,
    same: (one) => one.overall.same,
    undecided: (one) => one.overall.undecided,
    broken: (one) => one.overall.broken,
  });

export const SHOWN = ["week", "alerts"] as const;
export type Shown = (typeof SHOWN)[number];

/** `address`: of the badge, with or without a token. */
export function badgeAddress(address: string, shown: Shown): string {
  const url = new URL(address);
  if (shown !== "week") url.searchParams.set("show", shown);
  return url.href;
}

const LEADS_TO = { week: "weeks", alerts: "alerts" } as const;

/** `page`: the address of the project's page. */
export const badgeMarkdown = (address: string, page: string, shown: Shown): string =>
  `[![nalm](${badgeAddress(address, shown)})](${page}/${LEADS_TO[shown]})`;
