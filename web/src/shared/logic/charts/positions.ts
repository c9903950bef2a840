// SPDX-License-Identifier: Apache-2.0
/** Where the commits of a history stand on its axis: each a step after the one before, or at its date. */

export interface Positions {
  /** Positions are seconds since 1970; else numbers of commits. */
  dated: boolean;
  /** Of a commit, or between two commits. */
  at: (place: number) => number;
  /** The commit nearest to a position. */
  placeOf: (position: number) => number;
}

export const byNumber: Positions = { dated: false, at: (place) => place, placeOf: Math.round };

/** Commits at one moment, or dated before an earlier one, stand this far apart. Seconds. */
const APART = 1;

/**
 * In the commits' order, which need not be that of their dates: a commit stands behind the one before it. One without
 * a date stands beside its neighbour; without any date all stand by number.
 */
export function byDate(dates: readonly (string | null | undefined)[]): Positions {
  const known = dates.map((date) => (date ? Date.parse(date) / 1000 : Number.NaN));
  const first = known.find((time) => !Number.isNaN(time));
  if (first === undefined) return byNumber;
  let last = first - APART * (known.indexOf(first) + 1);
  const times = known.map((time) => {
    last = time > last + APART ? time : last + APART;
    return last;
  });
  const at = (place: number): number => {
    const [low, high] = [Math.floor(place), Math.ceil(place)].map(
      (one) => times[Math.min(Math.max(one, 0), times.length - 1)] ?? first,
    ) as [number, number];
    return low + (high - low) * (place - Math.floor(place));
  };
  const placeOf = (position: number): number => {
    let [low, high] = [0, times.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] ?? first) < position) low = middle + 1;
      else high = middle;
    }
    return low > 0 && position - at(low - 1) < at(low) - position ? low - 1 : low;
  };
  return { dated: true, at, placeOf };
}
