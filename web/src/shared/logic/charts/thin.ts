// SPDX-License-Identifier: Apache-2.0
/** Long series for a chart of so many pixels: of each stretch of commits its least and its greatest value. */
import type { Columns } from "./history";

/** First and last place shown, both inclusive. */
export interface Span {
  from: number;
  to: number;
}

export const lengthOf = (span: Span): number => span.to - span.from + 1;
export const wholeOf = (count: number): Span => ({ from: 0, to: Math.max(count - 1, 0) });

/**
 * The columns within the span and one place beyond each end, at most about `most` of them; every column as it is if
 * that suffices. Stretches begin at multiples of their length, so that nothing flickers while one pans.
 */
export function thinned(data: Columns, span: Span, most: number): Columns {
  const count = data.x.length;
  const step = Math.max(1, Math.ceil((2 * lengthOf(span)) / Math.max(most, 2)));
  const first = Math.max(Math.floor((span.from - 1) / step) * step, 0);
  const end = Math.min(span.to + 1 + step, count);
  if (step === 1) return cut(data, first, end);
  const x: number[] = [];
  for (let begin = first; begin < end; begin += step) x.push(begin, begin + step / 2);
  return { x, stages: data.stages.map((one) => thinnedStage(one, first, end, step)) };
}

const cut = (data: Columns, first: number, end: number): Columns => ({
  x: data.x.slice(first, end),
  stages: data.stages.map(({ stage, value, low, high }) => ({
    stage,
    value: value.slice(first, end),
    low: low.slice(first, end),
    high: high.slice(first, end),
  })),
});

type Stage = Columns["stages"][number];

function thinnedStage(one: Stage, first: number, end: number, step: number): Stage {
  const thin: Stage = { stage: one.stage, value: [], low: [], high: [] };
  for (let begin = first; begin < end; begin += step) {
    const stop = Math.min(begin + step, one.value.length);
    const [least, most] = extremes(one.value, begin, stop);
    const low = least < 0 ? null : edge(one.low, begin, stop, Math.min);
    const high = least < 0 ? null : edge(one.high, begin, stop, Math.max);
    thin.value.push(one.value[Math.min(least, most)] ?? null, one.value[Math.max(least, most)] ?? null);
    thin.low.push(low, low);
    thin.high.push(high, high);
  }
  return thin;
}

/** Places of the least and the greatest value; -1 when there is none. */
function extremes(values: readonly (number | null)[], begin: number, stop: number): [number, number] {
  let [least, most] = [-1, -1];
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let place = begin; place < stop; place++) {
    const value = values[place];
    if (value == null) continue;
    if (value < low) [low, least] = [value, place];
    if (value > high) [high, most] = [value, place];
  }
  return [least, most];
}

function edge(
  values: readonly (number | null)[],
  begin: number,
  stop: number,
  further: (a: number, b: number) => number,
): number | null {
  let found: number | null = null;
  for (let place = begin; place < stop; place++) {
    const value = values[place];
    if (value != null) found = found === null ? value : further(found, value);
  }
  return found;
}

/** The fewest commits a chart can be zoomed to. */
export const LEAST_SPAN = 5;

/** Nearer (factor below 1) or further, the commit at `around` staying where it is. */
export function zoomed(span: Span, factor: number, around: number, count: number): Span {
  const length = Math.min(Math.max(Math.round(lengthOf(span) * factor), Math.min(LEAST_SPAN, count)), count);
  const share = (around - span.from) / Math.max(lengthOf(span), 1);
  return placed(Math.round(around - share * length), length, count);
}

/** Moved by a part of its own length, not beyond the ends. */
export const panned = (span: Span, part: number, count: number): Span => {
  const by = Math.round(part * lengthOf(span)) || Math.sign(part);
  return placed(span.from + by, lengthOf(span), count);
};

function placed(from: number, length: number, count: number): Span {
  const begin = Math.min(Math.max(from, 0), Math.max(count - length, 0));
  return { from: begin, to: begin + length - 1 };
}

/** A span between two places in either order, wide enough to be looked at. */
export const between = (a: number, b: number, count: number): Span => {
  const [from, to] = [Math.max(Math.min(a, b), 0), Math.min(Math.max(a, b), count - 1)];
  return placed(from, Math.max(to - from + 1, Math.min(LEAST_SPAN, count)), count);
};
