// SPDX-License-Identifier: Apache-2.0
/** Rounds of a comparison, laid out for a strip plot: launches side by side, arms side by side within one. */

export interface RoundValue {
  launch: number;
  /** Chain cycles per packet of one kept round. */
  cpp: number;
}

export const ARMS = ["base", "head_as_base", "head"] as const;
export type Arm = (typeof ARMS)[number];
export type RoundsByArm = { readonly [arm in Arm]: readonly RoundValue[] };

export interface Dot {
  arm: Arm;
  cpp: number;
  /** 0 to 1 across the launch's column. */
  place: number;
}

export interface Column {
  launch: number;
  dots: Dot[];
}

/** Arms that have rounds, base first. */
export const presentArms = (rounds: RoundsByArm): Arm[] => ARMS.filter((arm) => rounds[arm].length > 0);

/** Launches in ascending order. Each arm has its own strip of the column, rounds in the order given. */
export function launchColumns(rounds: RoundsByArm): Column[] {
  const arms = presentArms(rounds);
  const launches = new Set(arms.flatMap((arm) => rounds[arm].map((round) => round.launch)));
  return [...launches]
    .sort((a, b) => a - b)
    .map((launch) => ({
      launch,
      dots: arms.flatMap((arm, strip) => {
        const own = rounds[arm].filter((round) => round.launch === launch);
        return own.map((round, turn) => ({
          arm,
          cpp: round.cpp,
          place: (strip + 0.14 + (0.72 * (turn + 0.5)) / own.length) / arms.length,
        }));
      }),
    }));
}

/** Null for an empty list. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** The ends of an axis around values, with room at both; at least `least` wide, so that equal values have one. */
export function domain(values: readonly number[], least: number): [low: number, high: number] {
  const [from, to] = [Math.min(...values), Math.max(...values)];
  const room = Math.max((to - from) * 0.08, (least - (to - from)) / 2);
  return [from - room, to + room];
}

/** Decimals that tell a tick from the next. */
export function tickDecimals([first = 0, second = first]: readonly number[]): number {
  const step = second - first;
  return step > 0 ? Math.max(-Math.floor(Math.log10(step) + 1e-9), 0) : 2;
}

/** Round numbers for an axis from `low` to `high`, at most about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const result: number[] = [];
  for (let n = Math.ceil(low / step); n * step <= high + step * 1e-9; n++) result.push(n * step);
  return result;
}
