// SPDX-License-Identifier: Apache-2.0
/** Packets with a different outcome in head than in base, as rows of a table. */
import { significant, THIN } from "../text/format";

/** As a verdict has it. */
export interface OutcomeChange {
  arm: string;
  stage: string;
  outcome: string;
  base_packets: number;
  head_packets: number;
  base_taken_in: number;
  head_taken_in: number;
  exact: boolean;
  lost: boolean;
  expected?: string | null;
}

export interface OutcomeRow {
  key: string;
  arm: string;
  stage: string;
  outcome: string;
  base: string;
  head: string;
  meaning: string;
}

/** Counts of the same packets as they are; shares where the arms saw other packets. */
export function outcomeRows(changes: readonly OutcomeChange[]): OutcomeRow[] {
  return changes.map((one) => ({
    key: `${one.arm} ${one.stage} ${one.outcome}`,
    arm: one.arm === "head_as_base" ? "head with base's features" : one.arm,
    stage: one.stage,
    outcome: one.outcome,
    base: shown(one.base_packets, one.base_taken_in, one.exact),
    head: shown(one.head_packets, one.head_taken_in, one.exact),
    meaning: meaning(one),
  }));
}

function shown(packets: number, takenIn: number, exact: boolean): string {
  if (exact) return `${grouped(packets)} of ${grouped(takenIn)}`;
  return `${significant((100 * packets) / takenIn, 3)}${THIN}%`;
}

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, THIN);

function meaning(one: OutcomeChange): string {
  const how = one.exact ? "of the same packets" : "by a test over launches";
  if (one.expected) return `expected: ${one.expected}`;
  return one.lost ? `lost, ${how}` : `changed, ${how}`;
}
