// SPDX-License-Identifier: Apache-2.0

import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { compareSearch } from "../run/compareSearch";
import { THIN } from "../text/format";
import {
  bracketsText,
  drawn,
  figureOver,
  isKnown,
  kneeText,
  type LoadPointLike,
  loadAxis,
  loadRows,
  loadsFile,
  moveText,
  rangeOf,
  type SweepLike,
  scaleOf,
  stagesOf,
  valueOver,
} from "./loadCurves";

const spread = (value: number) => ({ value, low: value * 0.99, high: value * 1.01 });
const stage = (cpp: number) => ({ cpp: spread(cpp), batch: spread(1), ipp: null, eipc: null });

function point(pps: number, cpp: number): LoadPointLike {
  return {
    ...stage(cpp),
    pps,
    share: pps / 4e6,
    forwarded_pps: spread(pps),
    cur: spread(0.5),
    latency_p50_ns: null,
    latency_p99_ns: null,
    loss_ratio: { value: 0, low: null, high: null },
    stages: { rx: stage(cpp / 2), nat: stage(cpp / 2) },
    trials: 13,
    of: 14,
  };
}

const knee = { pps: 2e6, low: 1.9e6, high: 2.1e6, reason: null };
const gap = { ...point(2e6, 1), cpp: null, stages: {} };
const SWEEP: SweepLike = {
  arms: [
    { arm: "base", points: [point(1e6, 1000), point(2e6, 800)], knee, stage_knees: { rx: knee } },
    { arm: "head", points: [point(1e6, 1450), gap], knee: null, stage_knees: {} },
  ],
  cpp: [{ pps: 1e6, ratio: 1.45, low: 1.44, high: 1.46 }],
  cur: [],
  knee: { ratio: 0.7, low: 0.65, high: null },
  knee_confidence: 0.99,
  change_confidence: 0.95,
};
const [BASE, HEAD] = SWEEP.arms;

describe("figures over the load", () => {
  test("a load without the figure is no point, and never 0", () => {
    if (BASE === undefined || HEAD === undefined) throw new Error("a sweep has two builds");
    expect(drawn(BASE, "cpp", undefined).points).toEqual([
      [1e6, 1000],
      [2e6, 800],
    ]);
    expect(drawn(HEAD, "cpp", undefined).points).toEqual([[1e6, 1450]]);
    expect(drawn(HEAD, "loss", undefined).points).toEqual([
      [1e6, 0],
      [2e6, 0],
    ]);
    expect(drawn(HEAD, "loss", undefined).low).toEqual([]);
    expect(isKnown(SWEEP, "p99")).toBe(false);
    expect(isKnown(SWEEP, "cpp", "nat")).toBe(true);
    expect(isKnown(SWEEP, "ipp", "nat")).toBe(false);
  });

  test("a stage has its own cycles, and the chain's where it has none of its own", () => {
    expect(stagesOf(SWEEP)).toEqual(["rx", "nat"]);
    expect(valueOver(point(1e6, 1000), "cpp", "rx")?.value).toBe(500);
    expect(valueOver(point(1e6, 1000), "cpp", "gone")).toBeNull();
    expect(valueOver(point(1e6, 1000), "cur", "rx")?.value).toBe(0.5);
  });

  test("an axis holds values and their spread", () => {
    const curves = SWEEP.arms.map((arm) => drawn(arm, "cpp", undefined));
    const { low, high } = rangeOf(curves, figureOver("cpp").fromZero);
    expect(low).toBeLessThan(800 * 0.99);
    expect(high).toBeGreaterThan(1450 * 1.01);
    expect(rangeOf(curves, true).low).toBe(0);
  });

  test("the table has a row for each load, with the change of the chain where one is judged", () => {
    const rows = loadRows(SWEEP, "cpp", undefined);
    expect(rows.map((row) => [row.pps, row.share, row.change?.ratio])).toEqual([
      [1e6, 0.25, 1.45],
      [2e6, 0.5, undefined],
    ]);
    expect(loadRows(SWEEP, "cpp", "rx")[0]?.change).toBeUndefined();
    expect(loadRows(SWEEP, "loss", undefined)[0]?.change).toBeUndefined();
  });

  test("the file has every figure of chain and stages, and empty cells for what was not counted", () => {
    const [head = [], ...rows] = loadsFile(SWEEP);
    expect(rows).toHaveLength(2 * 3 + 3 + 1);
    const column = (name: string) => rows.map((row) => row[head.indexOf(name)]);
    expect(column("cpp [cycles/packet]").slice(0, 3)).toEqual([1000, 500, 500]);
    expect(column("cur [share of time]").slice(0, 2)).toEqual([0.5, undefined]);
    expect(new Set(column("p99 [ns]"))).toEqual(new Set([undefined]));
    expect(column("stage").slice(0, 3)).toEqual([undefined, "rx", "nat"]);
  });
});

test("loads that crowd below the greatest are spread by a logarithmic axis", () => {
  const even = loadAxis([1e6, 2e6, 3e6, 4e6]);
  expect([even.log, even.low, even.text(2.5e6), even.name]).toEqual([
    false,
    0,
    "2.5",
    "offered load, Mpackets/s",
  ]);
  const crowded = loadAxis([985, 1971, 2956, 4926, 19706, 88675]);
  expect(crowded.log).toBe(true);
  expect(crowded.low).toBeGreaterThan(0);
  expect(crowded.low).toBeLessThan(985);
  expect(crowded.high).toBeGreaterThan(88675);
});

test("rates share one unit, other figures have their own", () => {
  const rates = scaleOf("forwarded", [9e5, 2e6]);
  expect([rates.unit, rates.text(9e5), rates.tick(9e5)]).toEqual(["Mpackets/s", "0.900", "0.9"]);
  expect(scaleOf("cpp", [9e5]).unit).toBe("cycles/packet");
  const loss = scaleOf("loss", [9e5]);
  expect([loss.text(2e-6), loss.tick(2e-6)]).toEqual([`1 in 500${THIN}000`, `0.00020${THIN}%`]);
});

test("a knee is said with its interval, which stays on one line, or why there is none", () => {
  expect(kneeText(knee)).toBe(`2.00\u00a0[1.90,\u00a02.10]${THIN}Mpackets/s`);
  expect(kneeText({ ...knee, high: null })).toBe(
    `2.00\u00a0[1.90, beyond the greatest load]${THIN}Mpackets/s`,
  );
  expect(kneeText({ ...knee, low: null, high: null })).toContain("interval not known");
  expect(kneeText({ pps: null, low: null, high: null, reason: "it does not change with the load" })).toBe(
    "none: it does not change with the load",
  );
  expect(kneeText(null)).toContain("too few loads");
  expect(moveText({ ratio: 0.7, low: 0.65, high: 0.75 })).toBe(`−30.0${THIN}%\u00a0[−35.0,\u00a0−25.0]`);
  expect(moveText({ ratio: 0.7, low: 0.65, high: null })).toBe(`−30.0${THIN}%\u00a0[−35.0${THIN}%,\u00a0–]`);
  expect(moveText({ ratio: 0.7, low: null, high: null })).toContain("interval not known");
  expect(bracketsText(SWEEP)).toContain(`99${THIN}% of a knee and its move, 95${THIN}% of the changes`);
});

test("an address names figure and stage; another word is ignored", () => {
  expect(v.parse(compareSearch, { over: "loss", stage: "nat" })).toMatchObject({
    over: "loss",
    stage: "nat",
  });
  expect(v.parse(compareSearch, { over: "made-up" }).over).toBeUndefined();
});
