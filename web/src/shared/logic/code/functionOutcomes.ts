// SPDX-License-Identifier: Apache-2.0
/** C functions as judged: the server decides, this has the words for a table's row. */
import { change, significant } from "../text/format";
import { ratio } from "../text/units";

interface Shift {
  stage: string | null;
  name: string;
  ipp: number;
}

/** As the API has it. */
export interface Judged {
  stage: string | null;
  name: string;
  outcome: string;
  by: string;
  chain_share?: number | null;
  shifted_from?: readonly Shift[];
  shifted_to?: readonly Shift[];
  reason?: string | null;
}

const keyOf = ({ stage, name }: { stage: string | null; name: string }): string => `${stage ?? ""}/${name}`;

/** By stage and name. */
export const judgedByKey = (judged: readonly Judged[]): ReadonlyMap<string, Judged> =>
  new Map(judged.map((one) => [keyOf(one), one]));

/** `regressed by instructions`; a function without one was not judged. */
export const outcomeText = (one: Judged | undefined): string =>
  one === undefined ? "not judged" : one.outcome === "same" ? "same" : `${one.outcome} by ${one.by}`;

/** What the outcome rests on: cost that moved, what the chain pays, or why it is open. */
export function outcomeNotes(one: Judged | undefined): string[] {
  if (one === undefined) return [];
  const moved = (words: string, shifts: readonly Shift[] | undefined) =>
    (shifts ?? []).map(({ name, ipp }) => `${words} ${name}: ${significant(ipp, 3)} instructions`);
  const share = one.chain_share ?? 0;
  const pays = one.outcome === "regressed" || one.outcome === "improved";
  return [
    ...(pays && one.by === "instructions" ? [`${change(ratio(1 + share))} of the chain`] : []),
    ...moved("moved from", one.shifted_from),
    ...moved("moved to", one.shifted_to),
    ...(one.reason ? [one.reason] : []),
  ];
}
