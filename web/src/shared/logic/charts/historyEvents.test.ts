// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { around } from "./history";
import { eventMarks, eventsAt, segmentText } from "./historyEvents";

const POINTS = [{ sha: "a" }, { sha: "b" }, { sha: "c" }];
const CHANGE = {
  id: 1,
  kind: "step",
  sha: "b",
  low_sha: "a",
  high_sha: "b",
  stage: "nat",
  ratio: 1.08,
  direction: "worse",
  probability: 0.99,
  state: "standing",
  alert_id: 7,
  significant: true,
  large: true,
  relevant: true,
};
const SEGMENT = { sha: "c", kind: "environment", changes: [{ field: "kernel", base: "6.1", head: "6.6" }] };

test("a change of level is marked at its commit, once, unless it was taken back or is small", () => {
  const twice = { change_points: [CHANGE, { ...CHANGE, id: 2, stage: "chain" }], segments: [SEGMENT] };
  expect(eventMarks(POINTS, twice, [])).toEqual([
    { index: 2, display: "segment" },
    { index: 1, display: "level_worse" },
  ]);
  for (const not of [{ state: "withdrawn" }, { significant: false }, { large: false }, { sha: "gone" }])
    expect(eventMarks(POINTS, { change_points: [{ ...CHANGE, ...not }] }, [])).toEqual([]);
});

test("a finding is marked unless it was dismissed", () => {
  expect(eventMarks(POINTS, {}, [{ id: 7, sha: "b", state: "confirmed" }])).toEqual([
    { index: 1, display: "alert" },
  ]);
  expect(eventMarks(POINTS, {}, [{ id: 7, sha: "b", state: "dismissed" }])).toEqual([]);
});

test("the commit that fixes a finding is marked, and told with the finding", () => {
  const fixed = { id: 7, sha: "a", state: "fixed", fixed_by_sha: "c" };
  expect(eventMarks(POINTS, {}, [fixed])).toEqual([
    { index: 0, display: "alert" },
    { index: 2, display: "fix" },
  ]);
  const said = (of: object): unknown =>
    eventsAt("c", {}, [{ ...fixed, ...of }]).map((one) => [one.kind, one.text, one.alertId]);
  expect(said({})).toEqual([["fix", "Fixes alert 7", 7]]);
  expect(said({ state: "partly_fixed" })).toEqual([["fix", "Fixes a part of alert 7", 7]]);
  expect(said({ metric: "build_seconds", metric_title: "Build time" })).toEqual([
    ["fix", "Fixes alert 7 (Build time)", 7],
  ]);
  expect(said({ metric: "cpp", metric_title: "CPP" })).toEqual([["fix", "Fixes alert 7", 7]]);
  expect(said({ state: "reopened", fixed_by_sha: null })).toEqual([]);
  expect(eventMarks(POINTS, {}, [{ ...fixed, state: "dismissed" }])).toEqual([]);
});

test("what happened at a commit is told in words, with the finding to go to", () => {
  const reported = eventsAt("b", { change_points: [CHANGE] }, [{ id: 7, sha: "b", state: "confirmed" }]);
  expect(reported.map((one) => [one.text, one.alertId])).toEqual([
    ["Alert 7, confirmed", 7],
    ["nat moved by +8.0\u202f%", 7],
  ]);
  const drift = { ...CHANGE, kind: "drift", low_sha: "a".repeat(40), high_sha: "c".repeat(40) };
  expect(eventsAt("b", { change_points: [drift] }, []).map((one) => one.text)).toEqual([
    "nat drifted by +8.0\u202f% from aaaaaaa to ccccccc",
  ]);
  expect(segmentText(SEGMENT)).toBe(
    "The history restarts: the host or the compiler changed (kernel 6.1 → 6.6)",
  );
});

test("what the newest commits alone show says whether it was measured again", () => {
  const suspected = { ...CHANGE, state: "suspected", significant: false, alert_id: null };
  const text = (of: object): string | undefined =>
    eventsAt("b", { change_points: [{ ...suspected, ...of }] }, [])[0]?.text;
  const moved = "nat moved by +8.0\u202f%";
  expect(text({})).toBe(`${moved}, suspected by its newest commits alone; the next commits decide`);
  expect(text({ remeasured: { outcome: null } })).toBe(
    `${moved}, suspected by its newest commits alone; being measured again`,
  );
  expect(text({ state: "discarded", remeasured: { outcome: "discarded" } })).toBe(
    `${moved}, suspected by its newest commits alone; measured again: it does not show`,
  );
  expect(text({ state: "standing", remeasured: { outcome: "held" } })).toBe(
    `${moved}; measured again: it holds`,
  );
  expect(eventMarks(POINTS, { change_points: [suspected] }, [])).toEqual([]);
});

test("another environment is marked once, with its size in the chain", () => {
  const step = { sha: "c", changes: SEGMENT.changes, ratio: 1.2, low: 1.19, high: 1.21 };
  const events = {
    environments: [
      { ...step, stage: "nat" },
      { ...step, stage: "chain", ratio: 1.1 },
    ],
  };
  expect(eventMarks(POINTS, events, [])).toEqual([{ index: 2, display: "environment" }]);
  expect(eventsAt("c", events, []).map((one) => one.text)).toEqual([
    "Another environment: +10.0\u202f% [+19.0, +21.0] in chain as measured (kernel 6.1 → 6.6)",
  ]);
  const few = { environments: [{ ...step, stage: "chain", low: null, high: null }] };
  expect(eventsAt("c", few, []).map((one) => one.text)).toEqual([
    "Another environment: +20.0\u202f%, of too few runs for an interval, in chain as measured (kernel 6.1 → 6.6)",
  ]);
});

test("a window around a commit ends where the history does", () => {
  expect(around([1, 2, 3, 4, 5], 1, 2)).toEqual([1, 2, 3, 4]);
  expect(around([1, 2, 3], -1, 1)).toEqual([2, 3]);
});
