// SPDX-License-Identifier: Apache-2.0
/** Weeks: counts in words, colours, the file, the Markdown of a badge. */
import { expect, test } from "vitest";
import type { OverallChange, Week } from "../../shared/api/types";
import { badgeMarkdown, counted, direction, reachOf, weeksFile } from "./weeks";

const CHANGE: OverallChange = {
  ratio: 0.98,
  low: 0.97,
  high: 0.99,
  level: 0.95,
  averaged: 4,
  improved: 2,
  regressed: 1,
  same: 1,
  undecided: 1,
  broken: 0,
};
const UNKNOWN: OverallChange = { ...CHANGE, ratio: null, low: null, high: null, averaged: 0 };

test("outcomes are counted, the worst first, without those that no scenario has", () => {
  expect(counted(CHANGE).map(({ count, word }) => `${count} ${word}`)).toEqual([
    "1 regressed",
    "1 undecided",
    "2 improved",
    "1 same",
  ]);
});

test("a mean has the colour of a direction only if its interval excludes no change", () => {
  expect(direction(CHANGE)).toBe("improved");
  expect(direction({ low: 1.001, high: 1.2 })).toBe("regressed");
  expect(direction({ low: 0.99, high: 1.02 })).toBe("same");
  expect(direction(UNKNOWN)).toBe("same");
});

test("the widest interval sets the scale, within bounds, and a missing one sets none", () => {
  expect(reachOf([UNKNOWN, null])).toBeCloseTo(0.022);
  expect(reachOf([CHANGE, { ...CHANGE, high: 1.1 }])).toBeCloseTo(Math.log(1.1) * 1.1);
  expect(reachOf([{ ...CHANGE, high: 9 }])).toBe(0.3);
});

test("a file has the figures as they were sent, a missing one as an empty cell", () => {
  const week: Week = { week: "2026-W47", start: "2026-11-16", commits: 3, measured: 2, overall: UNKNOWN };
  const [head, row] = weeksFile([week]);
  expect(head).toContain("cpp [ratio]");
  expect(row).toEqual(["2026-W47", "2026-11-16", 3, 2, null, null, null, 0, 1, 2, 1, 1, 0]);
});

test("the Markdown of a badge leads to what it says, and keeps a token", () => {
  const page = "https://nalm.example.org/p/demo";
  const address = "https://nalm.example.org/api/v1/projects/demo/badge.svg";
  expect(badgeMarkdown(address, page, "week")).toBe(`[![nalm](${address})](${page}/weeks)`);
  expect(badgeMarkdown(`${address}?token=t`, page, "alerts")).toBe(
    `[![nalm](${address}?token=t&show=alerts)](${page}/alerts)`,
  );
});
