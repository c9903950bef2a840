// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { cellsOf, waterfall, wholePart } from "./decomposition";

const stages = [
  { stage: "rx", kind: "common", efficiency_cycles: 0.004, mix_cycles: -0.006 },
  { stage: "nat", kind: "common", efficiency_cycles: 30.126, mix_cycles: 1.333 },
  { stage: "dpi", kind: "added", features_cycles: 400.004 },
];

describe("the parts of a change", () => {
  test("add up as they are shown, along rows and along columns", () => {
    const { rows, totals, total } = cellsOf(stages);
    const digits = (value: number) => Number(value.toFixed(2));
    expect(rows.map((row) => row.total)).toEqual(
      rows.map((row) => digits(row.cells.reduce((a, b) => a + b))),
    );
    expect(total).toBe(digits(rows.reduce((a, row) => a + row.total, 0)));
    expect(totals).toEqual([30.13, 1.32, 400, 0]);
  });

  test("lead from base to head, without those that are nothing", () => {
    const fall = waterfall(260, [30, 0, 400, 0]);
    expect(fall.steps.map((step) => [step.part, step.from, step.to])).toEqual([
      ["efficiency", 260, 290],
      ["features", 290, 690],
    ]);
    expect([fall.head, fall.low, fall.high]).toEqual([690, 0, 690]);
  });

  test("of a small change are not lost on a long axis", () => {
    const fall = waterfall(500, [-5, 0, 0, 0]);
    expect(fall.low).toBe(490);
    expect(fall.high).toBeGreaterThan(500);
    expect(waterfall(500, [0, 0, 0, 0]).steps).toHaveLength(1);
  });
});

test("one part that is the whole change needs no picture", () => {
  expect(wholePart(cellsOf(stages).totals)).toBeNull();
  expect(wholePart([30.13, 0, 0, 0])).toBe("efficiency");
  expect(wholePart([0, 0, 400, 0])).toBe("features");
  expect(wholePart([0, 0, 0, 0])).toBe("efficiency");
});
