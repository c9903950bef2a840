// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { blocksOf, changeOf, costOf, edited, hottest, onlySide, type SourceRow, sourceCsv } from "./source";

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
const slower: SourceRow = { base: of(11, "hash(key);", 4), head: of(11, "hash(key);", 9.5) };

describe("source of both sides", () => {
  it("keeps what changed in sight and folds what did not", () => {
    const blocks = blocksOf([...many(1, 10), slower, ...many(12, 10)], "ipp", false);
    expect(blocks.map(({ kind, rows }) => [kind, rows.length])).toEqual([
      ["hidden", 7],
      ["shown", 7],
      ["hidden", 7],
    ]);
  });

  it("folds nothing where all is wanted, nothing changed, or there is little to fold", () => {
    const kinds = (rows: SourceRow[], whole: boolean) => blocksOf(rows, "ipp", whole).map(({ kind }) => kind);
    expect(kinds([...many(1, 10), slower], true)).toEqual(["shown"]);
    expect(kinds(many(1, 30), false)).toEqual(["shown"]);
    expect(kinds([...many(5, 6), slower], false)).toEqual(["shown"]);
  });

  it("says where lines are left out, on either side", () => {
    const gone: SourceRow = { base: of(2, "x"), head: null };
    const kinds = (rows: SourceRow[]) => blocksOf(rows, "ipp", true).map(({ kind }) => kind);
    expect(kinds([same(1), same(40)])).toEqual(["shown", "hidden", "shown"]);

    expect(kinds([same(1), gone, { base: same(3).base, head: same(2).head }])).toEqual(["shown"]);
  });

  it("hides unchanged and absent lines as one, and shows the line that is pointed out", () => {
    const rows = [slower, ...many(12, 20), ...many(50, 20)];
    const of = (named?: number) => blocksOf(rows, "ipp", false, named);
    expect(of().map(({ kind, rows, absent }) => [kind, rows.length, absent])).toEqual([
      ["shown", 4, 0],
      ["hidden", 37, 18],
    ]);
    expect(
      of(60).some(({ kind, rows }) => kind === "shown" && rows.some(({ head }) => head?.line === 60)),
    ).toBe(true);
  });

  it("knows a function of one side alone, and its most expensive line", () => {
    const added: SourceRow = { base: null, head: of(3, "log();", 2.5) };
    expect([onlySide([added]), onlySide([slower])]).toEqual(["head", null]);
    expect([hottest([added, slower], "ipp"), hottest([added], "cpp")]).toEqual([9.5, 0]);
  });

  it("counts a line of one side alone as edited, and its cost as all of the change", () => {
    const added: SourceRow = { base: null, head: of(3, "log();", 2.5) };
    expect([edited(added), edited(same(1)), edited(slower)]).toEqual([true, false, false]);
    expect([changeOf(added, "ipp"), changeOf(slower, "ipp"), changeOf(same(1), "ipp")]).toEqual([
      2.5,
      5.5,
      null,
    ]);
  });

  it("shows cycles where they are wanted and there, or there is nothing else", () => {
    const sampled: SourceRow = { base: of(1, "a", null, 3), head: of(1, "a", null, 4) };
    expect([costOf([slower], "cycles"), costOf([sampled], undefined)]).toEqual(["ipp", "cpp"]);
    expect([costOf([slower, sampled], "cycles"), costOf([slower, sampled], undefined)]).toEqual([
      "cpp",
      "ipp",
    ]);
  });

  it("is saved line by line", () => {
    const [, row] = sourceCsv([{ file: "src/nat.c", rows: [slower] }]);
    expect(row).toEqual(["src/nat.c", 11, 11, 4, 9.5, null, null, "hash(key);", "hash(key);"]);
  });
});
