// SPDX-License-Identifier: Apache-2.0
/** C functions as series of a history: their names in the API, in the address and for people. */

/** Metrics that functions have, the first one first: callgrind counts ipp and calls, samples carry the others. */
export const FUNCTION_METRICS: readonly string[] = ["ipp", "calls", "cpp", "eipc"];

const API_MARK = ">";
const MARK = " > ";
/** Between functions in an address: a C++ name has commas, but none of these. */
const BETWEEN = ";";

/** `nat > flow_find`. */
export const functionLabel = (stage: string, name: string): string => `${stage}${MARK}${name}`;

/** `nat>flow_find`, as the API and the address have it. */
export const functionKey = (stage: string, name: string): string => `${stage}${API_MARK}${name}`;

/** The name for people of an API's; a stage's name has no mark, a function's may. */
export const labelOf = (key: string): string => {
  const at = key.indexOf(API_MARK);
  return functionLabel(key.slice(0, at), key.slice(at + 1));
};

/** The functions of an address. */
export const functionsOf = (text: string | undefined): string[] =>
  (text ?? "").split(BETWEEN).filter((item) => item.indexOf(API_MARK) > 0);

/** The reverse; undefined for none. */
export const functionsText = (keys: readonly string[]): string | undefined => keys.join(BETWEEN) || undefined;

interface Summary {
  stage: string;
  name: string;
  ipp: number;
  gone: boolean;
}

export interface Choice {
  value: string;
  label: string;
  name: string;
  /** Instructions per packet; undefined: of a function that is chosen and has no history here. */
  ipp?: number;
  gone?: boolean;
}

/** What a picker offers, in groups by stage, most expensive first; chosen ones too that have no history. */
export function functionChoices(
  listed: readonly (readonly Summary[])[],
  chosen: readonly string[],
): { group: string; items: Choice[] }[] {
  const every = new Map<string, Choice>();
  for (const one of [...listed.flat()].sort((a, b) => Number(a.gone) - Number(b.gone) || b.ipp - a.ipp)) {
    const value = functionKey(one.stage, one.name);
    if (!every.has(value)) every.set(value, { ...one, value, label: functionLabel(one.stage, one.name) });
  }
  for (const value of chosen)
    if (!every.has(value))
      every.set(value, { value, label: labelOf(value), name: value.slice(value.indexOf(API_MARK) + 1) });
  const groups = new Map<string, Choice[]>();
  for (const one of every.values()) {
    const stage = one.value.slice(0, one.value.indexOf(API_MARK));
    groups.set(stage, [...(groups.get(stage) ?? []), one]);
  }
  return [...groups].map(([group, items]) => ({ group, items }));
}
