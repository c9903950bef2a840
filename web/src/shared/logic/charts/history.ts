// SPDX-License-Identifier: Apache-2.0
/** From the API's history to what a chart draws. x is the place of a commit in the list, oldest first. */

export interface SeriesValue {
  value: number;
  low?: number | null;
  high?: number | null;
  source: string;
}
export interface HistoryPoint {
  display: string | null;
  values: { [stage: string]: SeriesValue | null | undefined };
}

export type Scale = "absolute" | "relative" | "log";

/** Columns as the chart wants them: x, then value, low, high per stage. A missing value is null: a gap. */
export interface Columns {
  x: number[];
  stages: { stage: string; value: (number | null)[]; low: (number | null)[]; high: (number | null)[] }[];
}

/** `relative`: per cent against the first known value of each stage, so that stages of unlike cost compare. */
export function columns(points: readonly HistoryPoint[], stages: readonly string[], scale: Scale): Columns {
  return {
    x: points.map((_, index) => index),
    stages: stages.map((stage) => {
      const values = points.map((point) => point.values[stage] ?? null);
      const first = values.find((value) => value !== null)?.value;
      const convert = (value: number | null | undefined): number | null => {
        if (value === null || value === undefined) return null;
        if (scale !== "relative") return value;
        return first === undefined || first === 0 ? null : (value / first - 1) * 100;
      };
      return {
        stage,
        value: values.map((value) => convert(value?.value)),
        low: values.map((value) => convert(value?.low ?? value?.value)),
        high: values.map((value) => convert(value?.high ?? value?.value)),
      };
    }),
  };
}

export interface Mark {
  index: number;
  display: string;
}

const MARKED = new Set(["regressed", "improved", "feature", "broken"]);
/** Verdicts worth a mark on the chart: those that say the commit did something. */
export function marks(points: readonly HistoryPoint[]): Mark[] {
  return points.flatMap((point, index) =>
    point.display && MARKED.has(point.display) ? [{ index, display: point.display }] : [],
  );
}

/** Stages that have at least one value among the points, in the order given. */
export function presentStages(points: readonly HistoryPoint[], stages: readonly string[]): string[] {
  return stages.filter((stage) => points.some((point) => point.values[stage]));
}

/**
 * Lowest and highest value of the axis, with room of a tenth; null when nothing is drawn. Bands are shown whole unless
 * they reach further beyond the values than the values lie apart: one wild interval shall not flatten every line.
 */
export function extent(data: Columns, includeZero: boolean): [number, number] | null {
  const values = present(data.stages.flatMap((stage) => stage.value));
  if (values.length === 0) return null;
  const [least, most] = [smallest(values), largest(values)];
  const reach = Math.max(most - least, Math.abs(most) * 0.1);
  let low = Math.max(
    smallest(present(data.stages.flatMap((stage) => stage.low)).concat(least)),
    least - reach,
  );
  let high = Math.min(
    largest(present(data.stages.flatMap((stage) => stage.high)).concat(most)),
    most + reach,
  );
  if (includeZero) {
    low = Math.min(low, 0);
    high = Math.max(high, 0);
  }
  const room = (high - low || Math.abs(high) || 1) * 0.1;
  return [low === 0 ? 0 : low - room, high + room];
}

/** The same for a logarithmic axis, which has no 0: room of a tenth of its height at each end. */
export function logExtent(data: Columns): [number, number] | null {
  const range = extent(data, false);
  const values = present(data.stages.flatMap((stage) => stage.value)).filter((value) => value > 0);
  if (range === null || values.length === 0) return null;
  const low = Math.max(range[0], smallest(values) / 2);
  return [low / 1.05, range[1]];
}

/** The axis with a level on it, with room of a tenth. */
export function including(
  range: [number, number] | null,
  level: number | undefined,
): [number, number] | null {
  if (range === null || level === undefined) return range;
  const [low, high] = [Math.min(range[0], level), Math.max(range[1], level)];
  const room = (high - low) * 0.1;
  return [low < range[0] ? low - room : low, high > range[1] ? high + room : high];
}

const present = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);
const smallest = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b));
const largest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b));

/** So many points on each side of one; the newest when it is not among them. */
export function around<T>(points: readonly T[], place: number, eachSide: number): readonly T[] {
  const middle = place < 0 ? points.length - 1 : place;
  return points.slice(Math.max(middle - eachSide, 0), middle + eachSide + 1);
}
