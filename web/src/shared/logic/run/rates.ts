// SPDX-License-Identifier: Apache-2.0
/** Rates with their bounds, as text. */
import type { Axis } from "../charts/axis";
import { MISSING, significant, THIN } from "../text/format";

export interface ProportionLike {
  hits: number;
  trials: number;
  rate: number | null;
  low: number;
  high: number;
}

/** Per cent below this would lose its digits behind two decimals. */
const SMALL_PERCENT = 0.1;

/** 0.0705 as "7.05 %", 0.0000021 as "0.00021 %": up to three significant digits, none behind a whole hundred. */
export function percent(share: number | null): string {
  if (share === null) return MISSING;
  const value = share * 100;
  if (value > 0 && value < SMALL_PERCENT) return `${significant(value, 2)}${THIN}%`;
  const digits = value >= 99.95 || value === 0 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${THIN}%`;
}

const SMALL_LOSS = 1e-3;
/** Below this a loss is a rounding error of a model. */
const NO_LOSS = 1e-12;

/** A share that is lost: "nothing", "1 in 100 000", "2.10 %". */
export function lossText(loss: number): string {
  if (loss < NO_LOSS) return "nothing";
  if (loss < SMALL_LOSS) return `1 in ${significant(1 / loss, 2)}`;
  return `${(100 * loss).toFixed(2)}${THIN}%`;
}

export const bounds = ({ trials, low, high }: ProportionLike): string =>
  trials === 0 ? MISSING : `${percent(low)} to ${percent(high)}`;

/** Minutes as "38 min", "6 h 05 min" or "2.3 days". */
export function minutesText(minutes: number): string {
  if (minutes < 59.5) return `${Math.round(minutes)}${THIN}min`;
  if (minutes >= 2 * 24 * 60) return `${(minutes / 1440).toFixed(1)} days`;
  const whole = Math.round(minutes);
  return `${Math.floor(whole / 60)}${THIN}h ${String(whole % 60).padStart(2, "0")}${THIN}min`;
}

export const hasTrials = (proportion: ProportionLike): boolean => proportion.trials > 0;

/** Ends of an axis on which small rates can still be seen. */
const TOPS = [0.1, 0.25, 0.5, 1];

/** From 0 to the first end beyond all the rates and their bounds. */
export function rateAxis(proportions: readonly ProportionLike[]): Axis {
  const most = Math.max(0, ...proportions.filter(hasTrials).map(({ high }) => high));
  return { low: 0, high: TOPS.find((top) => top >= most) ?? 1, zero: 0 };
}
