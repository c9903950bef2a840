// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { blocksOf, changeOf, costOf, edited, type SourceRow, sourceCsv } from "./source";

const of = (line: number, text: string, ipp: number | null = null, cpp: number | null = null) => ({
  line,
  text,
  ipp,
  cpp,
});
const same = (line: number): SourceRow => ({
  base: of(line, `line ${line}`),
  head: of(line, `line ${line}`),
});
const many = (from: number, count: number): SourceRow[] =>
  Array.from({ length: count }, (_, at) => same(from + at));
const dearer: SourceRow = { base: of(11, "hash(key);", 4), head: of(11, "hash(key);", 9.5) };

describe("source of both sides", () => {
  it("keeps what changed in sight and folds what did not", () => {
    const blocks = blocksOf([...many(1, 10), dearer, ...many(12, 10)], "ipp", false);
    expect(blocks.map(({ kind, rows }) => [kind, rows.length])).toEqual([
      ["folded", 7],
      ["shown", 7],
      ["folded", 7],
    ]);
  });

  it("folds nothing where all is wanted, nothing changed, or there is little to fold", () => {
    const kinds = (rows: SourceRow[], whole: boolean) => blocksOf(rows, "ipp", whole).map(({ kind }) => kind);
    expect(kinds([...many(1, 10), dearer], true)).toEqual(["shown"]);
    expect(kinds(many(1, 30), false)).toEqual(["shown"]);
    expect(kinds([...many(5, 6), dearer], false)).toEqual(["shown"]);
  });

  it("says where lines are left out, on either side", () => {
    const gone: SourceRow = { base: of(2, "x"), head: null };
    const kinds = (rows: SourceRow[]) => blocksOf(rows, "ipp", true).map(({ kind }) => kind);
    expect(kinds([same(1), same(40)])).toEqual(["shown", "apart", "shown"]);
    expect(kinds([same(1), gone, { base: same(3).base, head: same(2).head }])).toEqual(["shown"]);
  });

  it("counts a line of one side alone as edited, and its cost as all of the change", () => {
    const added: SourceRow = { base: null, head: of(3, "log();", 2.5) };
    expect([edited(added), edited(same(1)), edited(dearer)]).toEqual([true, false, false]);
    expect([changeOf(added, "ipp"), changeOf(dearer, "ipp"), changeOf(same(1), "ipp")]).toEqual([
      2.5,
      5.5,
      null,
    ]);
  });

  it("shows cycles where they are wanted and there, or there is nothing else", () => {
    const sampled: SourceRow = { base: of(1, "a", null, 3), head: of(1, "a", null, 4) };
    expect([costOf([dearer], "cycles"), costOf([sampled], undefined)]).toEqual(["ipp", "cpp"]);
    expect([costOf([dearer, sampled], "cycles"), costOf([dearer, sampled], undefined)]).toEqual([
      "cpp",
      "ipp",
    ]);
  });

  it("is saved line by line", () => {
    const [, row] = sourceCsv([{ file: "src/nat.c", rows: [dearer] }]);
    expect(row).toEqual(["src/nat.c", 11, 11, 4, 9.5, null, null, "hash(key);", "hash(key);"]);
  });
});
