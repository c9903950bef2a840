// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { type Places, whereRows } from "./changeSites";

const verdict: Places = {
  functions: [
    {
      name: "translate",
      stage: "nat",
      file: "src/nat/nat.c",
      line: 16,
      base_cpp: 47.4,
      head_cpp: 138,
      error: 12.9,
    },
    { name: "_start", stage: null, file: null, line: null, base_cpp: 0, head_cpp: 9, error: 2 },
  ],
  model_changes: [{ stage: "nat", event: "l1d_misses", base: 1.5, head: 2.5 }],
  instruction_changes: [
    {
      stage: "nat",
      functions: [{ name: "translate", base_ipp: null, head_ipp: 457 }],
    },
  ],
};

describe("where it changed", () => {
  it("lists samples first, then the model, then exact counts, each with its line where known", () => {
    const rows = whereRows(verdict);
    expect(rows.map((row) => [row.stage, row.where, row.what])).toEqual([
      ["nat", "translate, src/nat/nat.c:16", "cycles, ± 13 by samples"],
      ["outside stages", "_start", "cycles, ± 2.0 by samples"],
      ["nat", "–", "L1d misses, modelled"],
      ["nat", "translate", "instructions, exact"],
    ]);
    expect(rows[3]?.base).toBeNull();
    expect(new Set(rows.map((row) => row.key)).size).toBe(rows.length);
  });

  it("has nothing to say of a verdict without them", () => {
    expect(whereRows({})).toEqual([]);
  });
});
