// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { codeFile, codeRows, type FunctionLike, figuresOf, found, inOrder } from "./codeRows";

const cost = (ipp: number, line: number): FunctionLike["head"] => ({
  file: "src/nat.c",
  line,
  ipp,
  calls: 1,
  cpp: null,
  lines: [{ file: "src/nat.c", line: line + 1, ipp, cpp: null }],
});
const FUNCTIONS: FunctionLike[] = [
  { name: "nat_hash", stage: "nat", base: null, head: cost(120, 90) },
  { name: "nat_process", stage: "nat", base: cost(330, 38), head: cost(300, 40) },
  { name: "poll", stage: null, base: null, head: null },
];

test("functions have both sides, and columns only where something is known", () => {
  const rows = codeRows(FUNCTIONS, "functions");
  expect(figuresOf(rows)).toEqual(["base_ipp", "head_ipp", "change_ipp", "base_calls", "head_calls"]);
  expect(rows.map((row) => row.figures.change_ipp)).toEqual([120, -30, null]);
  expect(rows[2]?.stage).toBe("outside stages");
});

test("lines are of one side, by its own numbers", () => {
  expect(codeRows(FUNCTIONS, "base").map((row) => row.line)).toEqual([39]);
  expect(codeRows(FUNCTIONS, "head").map((row) => row.line)).toEqual([91, 41]);
});

test("rows are found by words and put in order, the missing last", () => {
  const rows = codeRows(FUNCTIONS, "functions");
  expect(found(rows, "NAT c:40").map((row) => row.name)).toEqual(["nat_process"]);
  expect(found(rows, "")).toHaveLength(3);
  const names = (by: string, up: boolean): string[] => inOrder(rows, by, up).map((row) => row.name);
  expect(names("head_ipp", false)).toEqual(["nat_process", "nat_hash", "poll"]);
  expect(names("head_ipp", true)).toEqual(["nat_hash", "nat_process", "poll"]);
  expect(names("name", true)).toEqual(["poll", "nat_process", "nat_hash"]);
});

test("the file has what the table has", () => {
  const rows = codeRows(FUNCTIONS, "head");
  expect(codeFile(rows, figuresOf(rows))[1]).toEqual(["nat_hash", "nat", "src/nat.c", 91, 120]);
});
