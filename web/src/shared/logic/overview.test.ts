// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { byNeed, byProject, byState, counted, momentOf, trendOf } from "./overview";

test("what was judged stands by project, the urgent first", () => {
  const judged = [
    { project: "a", display: "same", runs: 3 },
    { project: "b", display: "improved", runs: 1 },
    { project: "a", display: "regressed", runs: 1 },
  ];
  expect(byProject(judged).map((one) => [one.project, one.displays.map((of) => of.display)])).toEqual([
    ["a", ["regressed", "same"]],
    ["b", ["improved"]],
  ]);
});

test("only a moment is taken for the last look", () => {
  expect(momentOf("2026-11-21T09:00:00Z")).toBe("2026-11-21T09:00:00Z");
  expect([momentOf(null), momentOf(""), momentOf("yesterday")]).toEqual([null, null, null]);
});

test("hosts that need somebody stand first", () => {
  const hosts = [
    { name: "b", state: "online" },
    { name: "a", state: "online" },
    { name: "z", state: "sick" },
  ];
  expect(byNeed(hosts).map((one) => one.name)).toEqual(["z", "a", "b"]);
});

test("a count says one or many", () => {
  expect([counted(1, "alert"), counted(0, "alert"), counted(12, "run")]).toEqual([
    "1 alert",
    "0 alerts",
    "12 runs",
  ]);
});

test("projects with something to do come first", () => {
  const of = (name: string, alerts_open = 0, problems: string[] = []) => ({
    name,
    alerts_open,
    problems,
  });
  const sorted = byState([of("b"), of("a"), of("c", 2), of("z", 0, ["not found"]), of("d", 77)]);
  expect(sorted.map((one) => one.name)).toEqual(["d", "c", "z", "a", "b"]);
});

test("a trend is relative to its first week", () => {
  const points = [
    { week: "2026-W36", level: 1.1 },
    { week: "2026-W38", level: 1.21 },
  ];
  const { levels, since, total } = trendOf({ points });
  expect([levels[0], since]).toEqual([1, "W36"]);
  expect(levels[1]).toBeCloseTo(1.1);
  expect(total).toBe(levels[1]);
});
