// SPDX-License-Identifier: Apache-2.0
/** Rounds of a comparison, laid out for a strip plot: launches side by side, base left of head. */

export interface RoundValue {
  launch: number;
  /** Chain cycles per packet of one kept round. */
  cpp: number;
}

export interface Strip {
  launch: number;
  base: number[];
  head: number[];
}

/** Launches in ascending order with the values of both arms. */
export function strips(base: readonly RoundValue[], head: readonly RoundValue[]): Strip[] {
  const byLaunch = new Map<number, Strip>();
  const at = (launch: number): Strip => {
    const strip = byLaunch.get(launch) ?? { launch, base: [], head: [] };
    byLaunch.set(launch, strip);
    return strip;
  };
  for (const round of base) at(round.launch).base.push(round.cpp);
  for (const round of head) at(round.launch).head.push(round.cpp);
  return [...byLaunch.values()].sort((a, b) => a.launch - b.launch);
}

/** Null for an empty list. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Round numbers for an axis from `low` to `high`, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const result: number[] = [];
  for (let n = Math.ceil(low / step); n * step <= high + step * 1e-9; n++) result.push(n * step);
  return result;
}
