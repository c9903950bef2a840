// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { launchColumns, median, presentArms, ticks } from "./rounds";

describe("rounds", () => {
  const rounds = {
    base: [
      { launch: 1, cpp: 300 },
      { launch: 0, cpp: 301 },
      { launch: 1, cpp: 302 },
    ],
    head: [{ launch: 1, cpp: 330 }],
    head_as_base: [],
  };

  test("stand in their launch's column, arms beside each other, every one of them", () => {
    expect(presentArms(rounds)).toEqual(["base", "head"]);
    const columns = launchColumns(rounds);
    expect(columns.map((column) => column.launch)).toEqual([0, 1]);
    expect(columns[1]?.dots.map((dot) => dot.cpp)).toEqual([300, 302, 330]);
    const places = columns[1]?.dots.map((dot) => dot.place) ?? [];
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(Math.max(...places.slice(0, 2))).toBeLessThan(0.5);
    expect(places[2]).toBeGreaterThan(0.5);
  });

  test("median", () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, null]);
  });

  test("ticks are round and inside", () => {
    expect(ticks(291, 318, 6)).toEqual([295, 300, 305, 310, 315]);
    expect(ticks(5, 5, 4)).toEqual([5]);
  });
});
