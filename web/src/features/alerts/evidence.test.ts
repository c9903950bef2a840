// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { byChange } from "./evidence";
import { withRange } from "./list/selection";

describe("figures of a cause", () => {
  test("stand in the order of their change, whichever way it went; what is missing last", () => {
    const of = (name: string, before: number | null, after: number | null) => ({ name, before, after });
    const sorted = byChange([
      of("same", 5, 5),
      of("missing", null, 4),
      of("doubled", 1, 2),
      of("a quarter", 4, 1),
      of("new", 0, 3),
    ]);
    expect(sorted.map((one) => one.name)).toEqual(["new", "a quarter", "doubled", "same", "missing"]);
  });
});

describe("a choice of rows", () => {
  const order = [7, 3, 9, 4];

  test("flips one, or everything between two, in either direction", () => {
    expect([...withRange(new Set(), order, 3, null)]).toEqual([3]);
    expect([...withRange(new Set([3]), order, 3, null)]).toEqual([]);
    expect([...withRange(new Set([4]), order, 3, 4)].sort()).toEqual([3, 4, 9]);
    expect([...withRange(new Set([7, 3, 9, 4]), order, 9, 7)]).toEqual([4]);
  });

  test("from a row that is no longer listed is of one row", () => {
    expect([...withRange(new Set(), order, 3, 100)]).toEqual([3]);
  });
});
