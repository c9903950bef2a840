// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { clustered } from "./clusters";

const mark = (index: number, display = "improved") => ({ index, display });
const at = (one: { index: number }): number => one.index;

describe("marks of a chart", () => {
  test("that lie apart stand alone", () => {
    expect(clustered([mark(20), mark(0)], at, 12).map((one) => [one.at, one.count])).toEqual([
      [0, 1],
      [20, 1],
    ]);
  });

  test("that would overlap are one, shown as the most urgent", () => {
    const found = clustered([mark(0), mark(5, "regressed"), mark(11), mark(12)], at, 12);
    expect(found.map((one) => [one.mark.display, one.count])).toEqual([
      ["regressed", 3],
      ["improved", 1],
    ]);
  });

  test("never more than fit", () => {
    const every = Array.from({ length: 1000 }, (_, index) => mark(index));
    expect(clustered(every, at, 12)).toHaveLength(Math.ceil(1000 / 12));
  });
});
