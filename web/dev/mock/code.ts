// SPDX-License-Identifier: Apache-2.0
/** Functions, lines and source of made-up commits: one of nat's functions, one of no stage without lines. */
import type {
  CodeComparison,
  FunctionCost,
  FunctionCosts,
  FunctionSource,
  RunCode,
} from "../../src/shared/api/types";
import { costOf, shaOf } from "./history.ts";
import { roundsOf } from "./run.ts";

const FILE = "lib/nat/nat_process.c";
const FIRST = 41;
type Text = readonly { text: string; share: number | null }[];
/** What head made of line 44 of base; the shares of a side's instructions add up to 1. */
const BEFORE: Text = [{ text: "\t\tentry = table_find(table, &key[i]);", share: 0.6 }];
const AFTER: Text = [
  { text: "\t\thash = key_hash(&key[i]);", share: 0.25 },
  { text: "\t\tentry = table_at(table, hash, &key[i]);", share: 0.35 },
];
const ABOVE: Text = [
  { text: "void nat_process(struct batch *batch)", share: 0.1 },
  { text: "{", share: null },
  { text: "\tfor (unsigned i = 0; i < batch->count; i++) {", share: 0.2 },
];
const BELOW: Text = [
  { text: "\t\ttranslate(batch->packets[i], entry);", share: 0.1 },
  { text: "\t}", share: null },
  { text: "}", share: null },
];

interface Line {
  line: number;
  text: string;
  ipp: number | null;
  cpp: null;
}
const linesOf = (index: number, text: Text, first: number): Line[] =>
  text.map(({ text, share }, at) => {
    const ipp = share === null ? null : share * (costOf(index, "nat")?.ipp ?? 0);
    return { line: first + at, text, ipp, cpp: null };
  });
const changedAt = FIRST + ABOVE.length;

function natOf(index: number, middle: Text): FunctionCost {
  const lines = linesOf(index, [...ABOVE, ...middle, ...BELOW], FIRST)
    .filter(({ ipp }) => ipp !== null)
    .map(({ line, ipp }) => ({ file: FILE, line, ipp, cpp: null }));
  return { file: FILE, line: FIRST, ipp: costOf(index, "nat")?.ipp ?? 0, calls: 0.03, cpp: null, lines };
}

function functionsOf(base: number, head: number): FunctionCosts[] {
  const poll: FunctionCost = { file: null, line: null, ipp: 8, calls: 0.03, cpp: null, lines: [] };
  return [
    { name: "nat_process", stage: "nat", base: natOf(base, BEFORE), head: natOf(head, AFTER) },
    { name: "poll", stage: null, base: poll, head: poll },
  ];
}

function judgedOf(base: number, head: number): CodeComparison["judged"] {
  const same = { outcome: "same", by: "instructions", significant: false, alarms: false } as const;
  const [before, after] = [base, head].map((index) => costOf(index, "nat")?.ipp ?? 0) as [number, number];
  const added = after - before;
  const share = added / 1000;
  const outcome = added > 0.05 * before ? "regressed" : "same";
  const nat = { stage: "nat", name: "nat_process", base_ipp: before, head_ipp: after } as const;
  return [
    { ...same, ...nat, outcome, added_ipp: added, chain_share: share },
    { ...same, stage: null, name: "poll", base_ipp: 8, head_ipp: 8, added_ipp: 0, chain_share: 0 },
  ];
}

export const codeOf = (base: number, head: number): CodeComparison => ({
  base_sha: shaOf(base),
  head_sha: shaOf(head),
  functions: functionsOf(base, head),
  judged: judgedOf(base, head),
  instruction_flame: null,
  cycle_flame: null,
  source_link: null,
});

export const runCode = (index: number): RunCode => ({
  base_sha: shaOf(index - 1),
  head_sha: shaOf(index),
  rounds: { base: roundsOf(index - 1, 1), head: roundsOf(index, 2), head_as_base: [] },
  functions: functionsOf(index - 1, index),
  source_link: null,
});

export function sourceOf(base: number, head: number, name: string | null): FunctionSource {
  const side = { base_text: "kept", head_text: "kept" } as const;
  if (name !== "nat_process") return { ...side, files: [] };
  const pairs = (text: Text, base_first: number, head_first: number) => {
    const after = linesOf(head, text, head_first);
    return linesOf(base, text, base_first).map((line, at) => ({ base: line, head: after[at] ?? null }));
  };
  const [before, after] = [linesOf(base, BEFORE, changedAt), linesOf(head, AFTER, changedAt)];
  const rows = [
    ...pairs(ABOVE, FIRST, FIRST),
    ...after.map((line, at) => ({ base: before[at] ?? null, head: line })),
    ...pairs(BELOW, changedAt + BEFORE.length, changedAt + AFTER.length),
  ];
  const [base_ipp, head_ipp] = [base, head].map((index) => costOf(index, "nat")?.ipp ?? null);
  const costs = { base_ipp: base_ipp ?? null, head_ipp: head_ipp ?? null, base_cpp: null, head_cpp: null };
  return { ...side, files: [{ file: FILE, ...costs, rows }] };
}
