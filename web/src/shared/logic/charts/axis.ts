// SPDX-License-Identifier: Apache-2.0
/** Lines on which values and their intervals are placed, and their ticks. */

export interface Axis {
  low: number;
  high: number;
  /** Where bars begin. */
  zero: number;
}

export interface Reaching {
  value: number | null | undefined;
  low?: number | null | undefined;
  high?: number | null | undefined;
}

/** Intervals that reach further than the values by this many times their own span are drawn at the edge. */
const INTERVAL_REACH = 1.5;

/** Around all values from `zero`, at least `least` wide; one wild interval does not flatten the others. */
export function axisOf(items: readonly Reaching[], zero: number, least: number): Axis {
  const values = items.flatMap(({ value }) => (value == null ? [] : [value]));
  const [from, to] = [Math.min(zero, ...values), Math.max(zero, ...values)];
  const span = Math.max(to - from, least);
  const ends = items.flatMap(({ low, high }) => [low, high]).filter((end): end is number => end != null);
  const low = Math.max(Math.min(from, ...ends), from - INTERVAL_REACH * span);
  const high = Math.min(Math.max(to, ...ends), to + INTERVAL_REACH * span);
  const missing = Math.max(least - (high - low), 0);
  return { low, high: high + missing, zero };
}

/** 0 at the axis' low end, 1 at its high end; what lies beyond is drawn at the edge. */
export const placeOn = (axis: Axis, value: number): number =>
  Math.min(Math.max((value - axis.low) / (axis.high - axis.low || 1), 0), 1);

/** Ticks of a logarithmic axis: 1, 2 and 5 times powers of ten, or evenly where it spans less than that. */
export function logTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++)
    for (const digit of [1, 2, 5]) ticks.push(digit * 10 ** power);
  const within = ticks.filter((tick) => tick >= low && tick <= high);
  return within.length >= 3 ? within : evenTicks(low, high);
}

const TICKS = 5;

function evenTicks(low: number, high: number): number[] {
  const rough = (high - low) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((digit) => digit * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  return Array.from(
    { length: Math.max(Math.floor(high / step) - first + 1, 0) },
    (_, index) => (first + index) * step,
  );
}
