// SPDX-License-Identifier: Apache-2.0
/** What pages have in common that keep their state in the address: schemas of parameters, lists, the query string. */
import * as v from "valibot";

const isText = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") || typeof value === "number";

/** The router lays the result over the address, so a value that is not understood must be undefined in it. */
const parameter = <S extends v.GenericSchema>(schema: S) =>
  v.optional(v.fallback(v.optional(schema), undefined), () => undefined);

const given = <T extends string>() => v.pipe(v.custom<T>(isText), v.transform(String));

export const text = parameter(given());

export const matching = (form: RegExp) => parameter(v.pipe(given(), v.regex(form)));

/** `renamed` holds values of older addresses, which are still read. */
export const oneOf = <const T extends readonly string[]>(
  allowed: T,
  renamed: Readonly<Record<string, string>> = {},
) =>
  parameter(
    v.pipe(
      given<T[number]>(),
      v.transform((value) => renamed[value] ?? value),
      v.picklist(allowed),
    ),
  );

/** The result of `read`; undefined when it is empty. */
export const readAs = (read: (value: string) => string | undefined) =>
  parameter(
    v.pipe(
      given(),
      v.transform((value) => read(value) || undefined),
    ),
  );

/** Items joined by commas. Items that are not `allowed` are left out. */
export const listOf = (allowed?: readonly string[]) =>
  readAs((value) =>
    items(value)
      .filter((item) => allowed?.includes(item) ?? true)
      .join(","),
  );

/** A commit. */
export const commit = matching(/^[0-9a-f]{7,64}$/);

export const view = oneOf(["chart", "table"]);

/** Instead of stages: only functions are shown. */
export const NO_STAGES = "-";
/** The longest history a chart shows, in commits. */
export const LONGEST = "10000";

const items = (text: string | undefined): string[] => (text ?? "").split(",").filter((item) => item !== "");

/** Adds or removes one item of a list joined by commas; undefined when all of `every`, or none, are left. */
export function toggled(
  current: string | undefined,
  item: string,
  every: readonly string[],
): string | undefined {
  const chosen = new Set(current === undefined ? every : items(current));
  if (chosen.has(item)) chosen.delete(item);
  else chosen.add(item);
  if (chosen.size === 0 || every.every((name) => chosen.has(name))) return undefined;
  return every.filter((name) => chosen.has(name)).join(",");
}

/** The chosen items, or all when nothing is chosen. */
export function chosen(current: string | undefined, every: readonly string[]): string[] {
  const names = items(current);
  const shown = every.filter((name) => names.includes(name));
  return shown.length > 0 ? shown : [...every];
}

interface Measured {
  name: string;
  stages: readonly string[];
  runs: number;
}

/**
 * The scenario of the address, else the most telling one: with most stages, not a floor such as `nop`, and of those
 * the one measured most.
 */
export function currentScenario<T extends Measured>(
  scenarios: readonly T[],
  name: string | undefined,
): T | undefined {
  const richest = [...scenarios].sort((a, b) => b.stages.length - a.stages.length || b.runs - a.runs)[0];
  return scenarios.find((scenario) => scenario.name === name) ?? richest;
}

/** The scenarios that the address names, in their order; when it names none of them, the main one. */
export function chosenScenarios<T extends Measured>(scenarios: readonly T[], names: string | undefined): T[] {
  const chosenNames = items(names);
  const shown = scenarios.filter((scenario) => chosenNames.includes(scenario.name));
  const main = currentScenario(scenarios, undefined);
  return shown.length > 0 || main === undefined ? shown : [main];
}

/** Parses `a=b&c=d`. Values are plain text, so that a commit made of digits is not read as a number. */
export const parseSearch = (search: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search));

/** The reverse, with commas left readable. */
export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== "") parameters.set(key, String(value));
  const query = parameters.toString().replaceAll("%2C", ",");
  return query ? `?${query}` : "";
}
