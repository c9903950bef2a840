// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columns, extent, marks, presentStages } from "./history";
import { CHAIN, stageInk } from "./palette";
import { historyFrom } from "./series.fixture";

const POINTS = historyFrom(`
  same       chain=100[99,101]   nat=60[59,61]  dpi=-
  regressed  chain=112[111,113]  nat=72         dpi=-
  feature    chain=280           nat=72         dpi=170
  .          chain=-             nat=-          dpi=-
  improved   chain=262           nat=60         dpi=170
`);

test("columns keep the order of stages and leave gaps where nothing is known", () => {
  const data = columns(POINTS, ["chain", "dpi"], "absolute");
  expect(data.x).toEqual([0, 1, 2, 3, 4]);
  expect(data.stages.map((stage) => stage.stage)).toEqual(["chain", "dpi"]);
  expect(data.stages[1]?.value).toEqual([null, null, 170, null, 170]);
});

test("a value without an interval has a band of no height", () => {
  const nat = columns(POINTS, ["nat"], "absolute").stages[0];
  expect([nat?.low[0], nat?.high[0]]).toEqual([59, 61]);
  expect([nat?.low[1], nat?.high[1]]).toEqual([72, 72]);
});

test("relative means per cent against the stage's own first value", () => {
  const [chain, dpi] = columns(POINTS, ["chain", "dpi"], "relative").stages;
  expect(chain?.value[1]).toBeCloseTo(12);
  expect(dpi?.value).toEqual([null, null, 0, null, 0]);
});

test("only verdicts that say something are marked", () => {
  expect(marks(POINTS)).toEqual([
    { index: 1, display: "regressed" },
    { index: 2, display: "feature" },
    { index: 4, display: "improved" },
  ]);
});

test("stages without a value are not offered", () => {
  expect(presentStages(POINTS.slice(0, 2), ["chain", "nat", "dpi"])).toEqual(["chain", "nat"]);
});

test("the axis holds bands and, for costs, 0", () => {
  const data = columns(POINTS.slice(0, 2), ["chain"], "absolute");
  const [low, high] = extent(data, false) ?? [];
  expect(low).toBeLessThan(99);
  expect(high).toBeGreaterThan(113);
  expect(extent(data, true)?.[0]).toBe(0);
  expect(extent(columns([], ["chain"], "absolute"), true)).toBeNull();
});

test("one wild band does not flatten the lines", () => {
  const wild = historyFrom(`
    same  nat=100[99,101]
    same  nat=110[5,9000]
  `);
  const [low, high] = extent(columns(wild, ["nat"], "absolute"), false) ?? [];
  expect(low).toBeGreaterThan(80);
  expect(high).toBeLessThan(130);
});

test("a stage keeps its colour when others are hidden or more than eight exist", () => {
  const stages = [CHAIN, ..."abcdefghij"];
  expect(stageInk("b", stages, false)).toEqual(stageInk("b", ["a", "b"], false));
  expect(stageInk("i", stages, false).color).toBe(stageInk("a", stages, false).color);
  expect(stageInk("i", stages, false).dash).not.toEqual(stageInk("a", stages, false).dash);
  expect(new Set([..."abcdefgh"].map((name) => stageInk(name, stages, true).color)).size).toBe(8);
});
