// SPDX-License-Identifier: Apache-2.0
/** Marks that would overlap stand together, with their number. */
import type { Mark } from "./history";

export interface Cluster {
  /** The mark that is drawn: the most urgent one. */
  mark: Mark;
  count: number;
  /** CSS pixels. */
  at: number;
}

/** First what a reader must not miss. */
const URGENCY = [
  "alert",
  "broken",
  "regressed",
  "level_worse",
  "fix",
  "improved",
  "level_better",
  "feature",
  "release",
];
const urgency = (mark: Mark): number => {
  const place = URGENCY.indexOf(mark.display);
  return place < 0 ? URGENCY.length : place;
};

/**
 * Marks of one line of symbols, from left to right: each cluster begins `apart` pixels or more after the one before.
 * Its symbol is that of its most urgent mark, at the place of its first.
 */
export function clustered(marks: readonly Mark[], placeOf: (mark: Mark) => number, apart: number): Cluster[] {
  const found: Cluster[] = [];
  const sorted = marks.map((mark) => ({ mark, at: placeOf(mark) })).sort((a, b) => a.at - b.at);
  for (const { mark, at } of sorted) {
    const last = found.at(-1);
    if (last === undefined || at - last.at >= apart) found.push({ mark, count: 1, at });
    else {
      last.count++;
      if (urgency(mark) < urgency(last.mark)) last.mark = mark;
    }
  }
  return found;
}
