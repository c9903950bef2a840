// SPDX-License-Identifier: Apache-2.0

import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { lineLink } from "../../shared/logic/code/sourceLink";
import { compareSearch } from "../../shared/logic/run/compareSearch";
import { whatHelps } from "../../shared/logic/run/nextSteps";
import { launchRatios } from "../../shared/logic/run/ratios";
import { domain, tickDecimals, ticks } from "../../shared/logic/run/rounds";
import {
  pairText,
  shownBase,
  sidesOf,
  swapped,
  verdictsAgainst,
  withPair,
} from "../../shared/logic/run/sides";
import { along, layout, neighbour, toneOf } from "./flame";

describe("sides", () => {
  test("each axis says what is still to be chosen", () => {
    expect(sidesOf({ head: "main" })).toBeNull();
    expect(sidesOf({ base: "v1", head: "main", scenario: "a" })).toMatchObject({ base: "v1", head: "main" });
    expect(sidesOf({ by: "host", head: "main", base_host: "b1" })).toBeNull();
    expect(sidesOf({ by: "model", head: "main", base_scenario: "a", scenario: "b" })).toMatchObject({
      base: "main",
      base_scenario: "a",
    });
  });

  test("swapping twice changes nothing but what was opened", () => {
    for (const search of [
      { base: "v1", head: "main", scenario: "a" },
      { by: "host", head: "main", base_host: "b1", head_host: "b2" },
      { by: "features", head: "main", base_scenario: "a", scenario: "b" },
    ] as const) {
      const once = swapped({ ...search, at: "0.1" });
      expect(pairText(once)).not.toBe(pairText(search));
      expect(pairText(swapped(once))).toBe(pairText(search));
      expect(once.at).toBeUndefined();
    }
  });

  test("a recent pair is kept once, however it was looked at", () => {
    const first = withPair([], { base: "v1", head: "v2", fn: "nat/x" });
    expect(withPair(first, { base: "v1", head: "v2", rounds: "cpp" })).toEqual([{ base: "v1", head: "v2" }]);
    expect(withPair(first, { head: "v2" })).toEqual(first);
  });

  test("an unknown axis is left out of the address", () => {
    expect(v.parse(compareSearch, { by: "moon", head: "main" })).toEqual({ head: "main" });
  });
});

describe("ratios", () => {
  const rounds = (cpp: number[], launch = 0) => cpp.map((one, turn) => ({ launch, turn, cpp: one }));
  test("a turn that one arm did not keep has none; the launch is a ratio of means", () => {
    const base = [...rounds([100, 200]), ...rounds([100], 1)];
    const head = rounds([110]);
    expect(launchRatios({ base, head, head_as_base: [] }, "head")).toEqual([
      { launch: 0, ratio: 110 / 150, turns: [1.1] },
    ]);
  });
});

describe("flame graph", () => {
  const root = {
    name: "all",
    base: 100,
    head: 120,
    children: [
      { name: "nat", base: 60, head: 100, children: [{ name: "hash", base: 0, head: 40 }] },
      { name: "tx", base: 40, head: 20 },
    ],
  };
  test("boxes never stick out of their caller", () => {
    const boxes = layout(root);
    expect(boxes.map((box) => box.path)).toEqual(["", "0", "0.0", "1"]);
    const last = boxes[3];
    expect((last?.from ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(1 + 1e-9);
  });
  test("tones say new, gone, more and less", () => {
    const tones = layout(root).map((box) => toneOf(box.frame, 120));
    expect(tones).toEqual(["more", "more", "new", "less"]);
    expect(toneOf({ name: "x", base: 1, head: 1.1 }, 120)).toBe("same");
  });
  test("an address leads to a frame, a broken one as far as it goes", () => {
    expect(along(root, "0.0").map((one) => one.frame.name)).toEqual(["all", "nat", "hash"]);
    expect(along(root, "1.7.x").map((one) => one.path)).toEqual(["", "1"]);
  });
  test("arrow keys walk it", () => {
    const boxes = layout(root);
    expect(neighbour(boxes, "", "ArrowDown")).toBe("0");
    expect(neighbour(boxes, "0", "ArrowRight")).toBe("1");
    expect(neighbour(boxes, "0.0", "ArrowUp")).toBe("0");
    expect(neighbour(boxes, "1", "ArrowRight")).toBe("1");
  });
});

test("a line leads to the forge, a system header nowhere", () => {
  const template = "https://git.example/a/b/src/commit/{sha}/{file}#L{line}";
  expect(lineLink(template, "abc", "src/a b.c", 7)).toBe(
    "https://git.example/a/b/src/commit/abc/src/a%20b.c#L7",
  );
  expect(lineLink(template, "abc", "/usr/include/x.h", 1)).toBeNull();
  expect(lineLink(null, "abc", "a.c", 1)).toBeNull();
});

test("an undecided run says what would help, a decided one nothing", () => {
  expect(whatHelps({ display: "same", checks: [] })).toEqual([]);
  const failed = [{ name: "generator_honest", passed: false, message: "" }];
  const invalid = whatHelps({ display: "invalid", checks: failed });
  expect(invalid[0]).toContain("generator");
  expect(invalid[1]).toMatch(/^Then measure again/);
  expect(whatHelps({ display: "invalid", checks: [] })[0]).toMatch(/^Measure again/);
});

test("a load that was not offered or not carried has its own advice", () => {
  const failed = (name: string) => [{ name, passed: false, message: "" }];
  expect(whatHelps({ display: "invalid", checks: failed("load_offered") })[0]).toContain(
    "Reduce the scenario's load",
  );
  const broken = whatHelps({ display: "broken", checks: failed("load_carried") });
  expect(broken).toHaveLength(1);
  expect(broken[0]).toContain("Head does not carry the load");
  expect(whatHelps({ display: "broken", checks: failed("buffers_returned") })[0]).toContain("nalm check");
});

test("an inconclusive run is advised what its kind follows", () => {
  const advice = (scenario: string) => whatHelps({ display: "inconclusive", checks: [], scenario }).join(" ");
  expect(advice("sfc_a")).toContain("budget_seconds");
  for (const kind of ["rate", "soak"]) {
    expect(advice(`sfc_a:${kind}`)).not.toContain("budget_seconds");
    expect(advice(`sfc_a:${kind}`)).toContain("quieter host");
  }
  expect(advice("sfc_a:rate")).toContain("rates.launches");
  expect(advice("sfc_a:soak")).toContain("rates.soak_hours");
});

test("rounds that are all equal have an axis, and ticks that differ", () => {
  const [low, high] = domain([1, 1, 1], 0.004);
  expect([low, high]).toEqual([0.998, 1.002]);
  const marks = ticks((low - 1) * 100, (high - 1) * 100, 7);
  const reported = marks.map((mark) => mark.toFixed(tickDecimals(marks)));
  expect(new Set(reported).size).toBe(marks.length);
  expect(domain([10, 20], 1)).toEqual([9.2, 20.8]);
});

const COMMIT = {
  parent_sha: "parent",
  base_sha: "of its newest job",
  verdicts: ["sfc_a", "sfc_b", "sfc_c"].map((scenario) => ({ run_id: `run of ${scenario}`, scenario })),
  runs: [
    { run_id: "an earlier run of sfc_a", base_sha: "good" },
    { run_id: "run of sfc_a", base_sha: "parent" },
    { run_id: "run of sfc_b", base_sha: "merge base" },
    { run_id: "run of sfc_c", base_sha: "parent" },
  ],
};

test("a link to a commit opens the comparison whose verdict was shown, not that of its newest job", () => {
  expect(shownBase(COMMIT, "sfc_a")).toBe("parent");
  expect(shownBase(COMMIT, "sfc_b")).toBe("merge base");
  expect(shownBase(COMMIT, undefined)).toBe("parent");
  const waiting = { ...COMMIT, verdicts: [], runs: [] };
  expect(shownBase(waiting, undefined)).toBe("of its newest job");
  expect(shownBase({ ...waiting, base_sha: null }, undefined)).toBe("parent");
});

test("verdicts against another base are not of the pair", () => {
  expect(verdictsAgainst(COMMIT, "parent").map((one) => one.scenario)).toEqual(["sfc_a", "sfc_c"]);
  expect(verdictsAgainst(COMMIT, "good")).toEqual([]);
});
