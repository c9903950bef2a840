// SPDX-License-Identifier: Apache-2.0
/** Numbers and times as text. Missing is an en dash, never 0. */
import type { Ratio } from "./units";

/** Narrow no-break space: between a number and its unit, and between groups of three digits. */
export const THIN = "\u202f";
export const MINUS = "\u2212";
export const MISSING = "\u2013";

const SI_PREFIXES: readonly (readonly [number, string])[] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/** `digits` significant digits, without an exponent, digits grouped by three: 1 234.5 */
export function significant(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return MISSING;
  const magnitude = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits)))));
  const decimals = Math.min(Math.max(digits - 1 - magnitude, 0), 12);
  const [whole = "0", fraction] = Math.abs(value).toFixed(decimals).split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN) : whole;
  const text = fraction ? `${grouped}.${fraction}` : grouped;
  return value < 0 && Number(text.replaceAll(THIN, "")) !== 0 ? MINUS + text : text;
}

/** A commit's name as every page has it, as long as the server's `short_sha`. */
export const shortSha = (sha: string): string => sha.slice(0, 7);

/** Base and head of a figure; missing on both sides is one dash. */
export const fromTo = (base: string, head: string): string =>
  base === MISSING && head === MISSING ? MISSING : `${base} → ${head}`;

/** A setting as a person wrote it: up to four significant digits, no zeros at the end. */
export const plain = (value: number): string => String(Number(value.toPrecision(4)));

/** A figure with its unit; rates are scaled: 12.35 Mpackets/s. Null is missing. */
export function figure(value: number | null | undefined, unit = "", digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  if (unit.endsWith("/s") || unit === "Hz") {
    const [scale, prefix] = SI_PREFIXES.find(([limit]) => Math.abs(value) >= limit) ?? [1, ""];
    return `${significant(value / scale, digits)}${THIN}${prefix}${unit}`;
  }
  return unit && unit !== "1" ? `${significant(value, digits)}${THIN}${unit}` : significant(value, digits);
}

/** One unit for all rates of a column, chosen by the largest, and the decimals that line them up. */
export interface ColumnUnit {
  unit: string;
  divisor: number;
  decimals: number;
}

export function columnUnit(values: readonly (number | null | undefined)[], unit: string): ColumnUnit {
  const largest = Math.max(0, ...values.map((value) => Math.abs(value ?? 0)).filter(Number.isFinite));
  const [divisor, prefix] = SI_PREFIXES.find(([limit]) => largest >= limit) ?? [1, ""];
  const digits = Math.floor(Math.log10(Math.max(largest / divisor, 1))) + 1;
  return { unit: prefix + unit, divisor, decimals: Math.max(4 - digits, 0) };
}

/** A figure in its column's unit, without saying it: the head of the column does. */
export const inColumn = (value: number | null | undefined, of: ColumnUnit): string =>
  value == null || !Number.isFinite(value) ? MISSING : (value / of.divisor).toFixed(of.decimals);

/** The same for a difference: +0.03, −1.20. */
export const signedInColumn = (value: number | null | undefined, of: ColumnUnit): string =>
  value == null || !Number.isFinite(value) ? MISSING : signed(value / of.divisor, of.decimals);

const SERVER_MOMENT = /\b(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?)(?: UTC)?/g;

/** A sentence of the server with the signs and moments that the page's own figures have. */
export const said = (sentence: string): string =>
  sentence
    .replace(SERVER_MOMENT, (_, on, at) => moment(`${on}T${at}Z`))
    .replace(/(?<![\w.)\]/-])-(?=\d)/g, MINUS)
    .replace(/(?<![\d.])[+\u2212](?=0(?:\.0+)?(?: %|[,\]]))/g, "\u00b1")
    .replace(/(?<=\d) %/g, `${THIN}%`);

/** A signed number: +1.20, −0.45. `decimals` fixed, so that a column lines up. */
export function signed(value: number, decimals = 1): string {
  const text = Math.abs(value).toFixed(decimals);
  if (Number(text) === 0) return `±${text}`;
  return (value < 0 ? MINUS : "+") + text;
}

/** Decimals of a percentage, by its size: small changes need more of them. */
const percentDecimals = (percent: number): number => {
  const size = Math.abs(percent);
  if (size >= 99.95) return 0;
  return size < 0.995 ? 2 : 1;
};

/** Beyond this a percentage is no size anybody can picture: a factor is. */
const LARGEST_PERCENT = 999.5;
/** Beyond this an interval has no end worth the name. */
const LARGEST_FACTOR = 9999.5;

const factorText = (factor: number): string =>
  factor > LARGEST_FACTOR ? ">\u00d79999" : `\u00d7${factor.toFixed(factor < 99.95 ? 1 : 0)}`;

const percentText = (percent: number, decimals: number): string =>
  percent > LARGEST_PERCENT ? factorText(percent / 100 + 1) : signed(percent, decimals);

/** 1.121 as "+12.1 %", 256 as "×256". */
export function change(value: Ratio | null): string {
  if (value === null) return MISSING;
  const percent = (value - 1) * 100;
  const text = percentText(percent, percentDecimals(percent));
  return percent > LARGEST_PERCENT ? text : `${text}${THIN}%`;
}

/** A confidence interval of a ratio as "[+10.9, +13.4]", like `change`. */
export function interval(low: Ratio | null, high: Ratio | null): string {
  if (low === null || high === null) return "";
  const [from, to] = [(low - 1) * 100, (high - 1) * 100];
  const decimals = Math.min(percentDecimals(from), percentDecimals(to));
  return `[${percentText(from, decimals)}, ${percentText(to, decimals)}]`;
}

/** "+12.1 % [+10.9, +13.4]" */
export function changeWithInterval(value: Ratio | null, low: Ratio | null, high: Ratio | null): string {
  return [change(value), interval(low, high)].filter(Boolean).join(" ");
}

/** With a capital letter, unless it begins with a name or the hash of a commit. */
export const sentence = (text: string): string =>
  /^[a-z]+(?=[ :,.]|$)/.test(text) && !/^[a-f]{7,} /.test(text)
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : text;

/** A person's words as they are; the server's, which are nobody's, as a sentence with the page's signs. */
export const wordsOf = (who: string | null, text: string): string =>
  who === null ? sentence(said(text)) : text;

const STEPS: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [7, "day"],
  [4.35, "week"],
  [12, "month"],
  [Number.POSITIVE_INFINITY, "year"],
];
/** Not "yesterday" or "last year": those are days of a calendar, which 40 hours may be two of. */
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "long" });

/** Seconds by which the reader's clock may be behind: what happened is never shown as something to come. */
const CLOCKS = 86_400;

/** "3 hours ago", seen from `now` (milliseconds since 1970). */
export function ago(iso: string, now: number): string {
  let distance = (Date.parse(iso) - now) / 1000;
  if (Number.isNaN(distance)) return MISSING;
  if (distance > -45 && distance < CLOCKS) return "just now";
  for (const [size, unit] of STEPS) {
    if (Math.round(Math.abs(distance)) < size) return RELATIVE.format(Math.round(distance), unit);
    distance /= size;
  }
  return MISSING;
}

const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** A moment in full, in the reader's zone: "21 Nov 2026, 14:03:22"; a line breaks only after the date. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return MISSING;
  return MOMENT.format(date).replace(/(?<!,) /g, "\u00a0");
}

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });
const SHORT_DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const TIME = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

const worded = (format: Intl.DateTimeFormat, iso: string): string => {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? MISSING : format.format(date).replaceAll(" ", "\u00a0");
};

/** The day of a moment, in the reader's zone: "21 Nov 2026". */
export const day = (iso: string): string => worded(DAY, iso);

const UTC_DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** 2026-11-21, a date of no zone, as "21 Nov 2026". */
export const dateWord = (date: string): string => worded(UTC_DAY, date);

const MONTH = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" });

/** 2026-11 as "Nov 2026". */
export const monthWord = (month: string): string => worded(MONTH, `${month}-01T00:00:00Z`);

/** A moment on an axis of time: its day where that is another than the one before it, else its time. */
export function momentTick(iso: string, before: string | undefined): string {
  const of = worded(SHORT_DAY, iso);
  return before === undefined || worded(SHORT_DAY, before) !== of ? of : worded(TIME, iso);
}

const SHORT_MONTH = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric" });
const DAY_SECONDS = 86_400;
/** Ticks this far apart stand for months. */
const MONTHS = 25 * DAY_SECONDS;

/** Moments along an axis of time, in seconds since 1970: days with their times, days, or months, as they lie apart. */
export function dateTicks(seconds: readonly number[]): string[] {
  const [first = 0, second = first] = seconds;
  const dates = seconds.map((at) => new Date(at * 1000).toISOString());
  return dates.map((at, index) => {
    if (second - first >= MONTHS) return worded(SHORT_MONTH, at);
    return second - first >= DAY_SECONDS / 2 ? worded(SHORT_DAY, at) : momentTick(at, dates[index - 1]);
  });
}

/** Seconds as "42 s", "3 min 05 s", "5 h 20 min" or "3 d 4 h". */
export function duration(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return MISSING;
  if (seconds < 9.95) return `${seconds.toFixed(1)}${THIN}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}${THIN}s`;
  const hours = Math.floor(whole / 3600);
  if (hours >= 48) return `${Math.floor(hours / 24)}${THIN}d ${hours % 24}${THIN}h`;
  if (hours > 0) return `${hours}${THIN}h ${String(Math.floor(whole / 60) % 60).padStart(2, "0")}${THIN}min`;
  return `${Math.floor(whole / 60)}${THIN}min ${String(whole % 60).padStart(2, "0")}${THIN}s`;
}

/** Bytes in binary steps: 32 KiB, 1.5 GiB. */
export function bytes(value: number): string {
  const names = ["B", "KiB", "MiB", "GiB", "TiB"];
  const step = value <= 0 ? 0 : Math.min(Math.floor(Math.log2(value) / 10), names.length - 1);
  return `${significant(value / 1024 ** step, 3).replace(/\.0+$/, "")}${THIN}${names[step]}`;
}
