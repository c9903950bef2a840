// SPDX-License-Identifier: Apache-2.0
import { quantityWord } from "../../shared/logic/alerts";
import { MISSING, significant } from "../../shared/logic/text/format";

/** What is used of a verdict. */
export interface Places {
  functions?:
    | {
        name: string;
        stage: string | null;
        file: string | null;
        line: number | null;
        base_cpp: number;
        head_cpp: number;
        error: number;
      }[]
    | null;
  model_changes?: { stage: string; event: string; base: number; head: number }[];
  instruction_changes?: {
    stage: string;
    functions: { name: string; base_ipp: number | null; head_ipp: number | null }[];
  }[];
}

export interface Row {
  key: string;
  stage: string;
  where: string;
  what: string;
  base: number | null;
  head: number | null;
}

/** What a verdict says of functions, lines and modelled misses: what is slower or cheaper, and by how much a packet. */
export function whereRows(verdict: Places): Row[] {
  const sampled = (verdict.functions ?? []).map((one) => ({
    key: `s ${one.stage} ${one.name}`,
    stage: one.stage ?? "outside stages",
    where: one.file ? `${one.name}, ${one.file}:${one.line}` : one.name,
    what: `cycles, ± ${significant(one.error, 2)} by samples`,
    base: one.base_cpp,
    head: one.head_cpp,
  }));
  const modelled = (verdict.model_changes ?? []).map((one) => ({
    key: `m ${one.stage} ${one.event}`,
    stage: one.stage,
    where: MISSING,
    what: `${quantityWord(one.event)}, modelled`,
    base: one.base,
    head: one.head,
  }));
  const counted = (verdict.instruction_changes ?? []).flatMap((change) =>
    change.functions.map((one) => ({
      key: `i ${change.stage} ${one.name}`,
      stage: change.stage,
      where: one.name,
      what: "instructions, exact",
      base: one.base_ipp,
      head: one.head_ipp,
    })),
  );
  return [...sampled, ...modelled, ...counted];
}
