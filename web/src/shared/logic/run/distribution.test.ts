// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { curveOf, lossRows, nines, ninesText, timeText, valueAt } from "./distribution";

const ONE = { packets: 100, percents: [0, 90, 99, 100], ns: [100, 5_000, 9_000, 2_500_000] };

describe("a distribution", () => {
  it("has its tail at equal distances", () => {
    expect([90, 99, 99.9, 100].map((one) => Math.round(nines(one)))).toEqual([1, 2, 3, 5]);
    expect([0, 1, 2, 3, 5].map(ninesText)).toEqual(["0 %", "90 %", "99 %", "99.9 %", "max"]);
    expect(curveOf(ONE)[1]).toEqual([nines(90), 5_000]);
  });

  it("shows times in a unit that fits", () => {
    expect([480, 9_000, 2_500_000, null].map(timeText)).toEqual(["480 ns", "9 us", "2.5 ms", "\u2013"]);
    expect(valueAt(ONE, 99)).toBe(9_000);
    expect(valueAt(ONE, 50)).toBeNull();
    expect(valueAt(null, 50)).toBeNull();
  });

  it("puts the causes of both sides side by side", () => {
    expect(lossRows([{ cause: "a", share: 0.1 }], [{ cause: "b", share: 0.2 }])).toEqual([
      { cause: "b", base: 0, head: 0.2 },
      { cause: "a", base: 0.1, head: 0 },
    ]);
  });
});
