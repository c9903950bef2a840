// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { barReach, barSegments, logarithmicMean, splitCycles } from "./split";

const changed = (base: [cpp: number, ipp: number], head: [cpp: number, ipp: number]) => ({
  base: { cpp: base[0] },
  head: { cpp: head[0] },
  ln_ipp: Math.log(head[1] / base[1]),
  ln_eipc: Math.log(head[1] / head[0] / (base[1] / base[0])),
});

describe("the split in cycles", () => {
  test.each([
    { name: "more instructions", base: [60, 150], head: [72, 180] },
    { name: "worse pipeline use", base: [25, 61], head: [40, 61.5] },
    { name: "fewer instructions, more cycles", base: [53, 105], head: [62, 84] },
    { name: "no change", base: [60, 150], head: [60, 150] },
  ] as const)("adds up: $name", ({ base, head }) => {
    const split = splitCycles(changed([...base], [...head]));
    expect((split?.instructions ?? 0) + (split?.pipeline ?? 0)).toBeCloseTo(head[0] - base[0], 10);
    expect(split?.total).toBeCloseTo(head[0] - base[0], 10);
  });

  test("names the side that costs", () => {
    const split = splitCycles(changed([53, 105], [62, 84]));
    expect(split?.instructions).toBeLessThan(0);
    expect(split?.pipeline).toBeGreaterThan(9);
  });

  test("a stage that came is whole, one that went is a saving", () => {
    expect(splitCycles({ base: null, head: { cpp: 170 } })?.whole).toBe(170);
    expect(splitCycles({ base: { cpp: 170 }, head: null })?.whole).toBe(-170);
  });

  test("without instruction counts the change is known and not split", () => {
    const split = splitCycles({ base: { cpp: 60 }, head: { cpp: 72 }, ln_ipp: null, ln_eipc: null });
    expect(split).toEqual({ total: 12, instructions: null, pipeline: null, whole: null });
  });

  test("nothing measured gives nothing", () => expect(splitCycles({ base: null, head: null })).toBeNull());
});

describe("bars", () => {
  const segments = (instructions: number, pipeline: number) =>
    barSegments({ total: instructions + pipeline, instructions, pipeline, whole: null } as never);

  test("parts of one sign are stacked", () => {
    expect(segments(5, 3)).toEqual([
      { part: "instructions", from: 0, to: 5 },
      { part: "pipeline", from: 5, to: 8 },
    ]);
    expect(segments(-5, -3)[1]).toEqual({ part: "pipeline", from: -8, to: -5 });
  });

  test("parts against each other lie on both sides", () => {
    expect(segments(-5, 14)).toEqual([
      { part: "instructions", from: -5, to: 0 },
      { part: "pipeline", from: 0, to: 14 },
    ]);
  });

  test("noise is not blown up to the full width", () => {
    const small = splitCycles(changed([60, 150], [60.1, 150]));
    expect(barReach([small, null], 2)).toBe(2);
  });
});

test("the logarithmic mean of equals is themselves", () => {
  expect(logarithmicMean(60, 60)).toBe(60);
  expect(logarithmicMean(60, 60 + 1e-9)).toBeCloseTo(60, 6);
});
