// SPDX-License-Identifier: Apache-2.0
/** Distributions of latency over a scale that spreads the tail: 90 %, 99 % and 99.9 % are equally far apart. */
import { MISSING } from "../text/format";

export interface DistributionLike {
  packets: number;
  percents: readonly number[];
  ns: readonly number[];
}

/** The end of the scale: 99.999 %. The greatest value stands there. */
export const MOST_NINES = 5;

/** 50 % is 0.3, 90 % is 1, 99 % is 2. */
export const nines = (percent: number): number =>
  percent >= 100 ? MOST_NINES : Math.min(MOST_NINES, -Math.log10(1 - percent / 100));

export const ninesText = (value: number): string =>
  value >= MOST_NINES ? "max" : `${Number((100 * (1 - 10 ** -value)).toPrecision(6))} %`;

export const curveOf = (one: DistributionLike): (readonly [number, number])[] =>
  one.percents.map((percent, place) => [nines(percent), one.ns[place] ?? 0] as const);

/** A time: ns below 1 us, then us, then ms. */
export function timeText(ns: number | null | undefined): string {
  if (ns === null || ns === undefined) return MISSING;
  if (ns < 1_000) return `${Math.round(ns)} ns`;
  const [value, unit] = ns < 1_000_000 ? [ns / 1_000, "us"] : [ns / 1_000_000, "ms"];
  return `${Number(value.toPrecision(3))} ${unit}`;
}

/** The value at a percentile of the distribution; null where it is not among its points. */
export const valueAt = (one: DistributionLike | null, percent: number): number | null =>
  one?.ns[one.percents.indexOf(percent)] ?? null;

export interface Loss {
  cause: string;
  share: number;
}

export interface LossRow {
  cause: string;
  base: number;
  head: number;
}

/** Both sides' losses by cause, head's largest first. A cause that one side lacks lost nothing there. */
export function lossRows(base: readonly Loss[], head: readonly Loss[]): LossRow[] {
  const causes = [...new Set([...head, ...base].map((one) => one.cause))];
  const share = (side: readonly Loss[], cause: string) => side.find((one) => one.cause === cause)?.share ?? 0;
  return causes.map((cause) => ({ cause, base: share(base, cause), head: share(head, cause) }));
}
