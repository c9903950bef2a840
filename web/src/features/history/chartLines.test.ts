// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Columns } from "../../shared/logic/charts/history";
import { between, panned, thinned, wholeOf, zoomed } from "../../shared/logic/charts/thin";
import { drawnSeries, positive, relativeTo, rowsOf, runAt, seriesOf, valueText } from "./chartLines";

const column = (stage: string, name: string | null, value: (number | null)[]) => ({
  stage,
  function: name,
  value,
  low: value.map((one) => one && one - 1),
  high: value.map(() => null),
  measured: value.map((one) => one && one + 5),
  measured_low: value.map((one) => one && one + 4),
  measured_high: value.map(() => null),
  same_features: name === null ? value.map((one) => one && one * 0.9) : null,
});

const line = (scenario: string, at: number[], value: (number | null)[], branch: string | null = null) => ({
  scenario,
  branch,
  at,
  run_id: at.map((place) => `${scenario}${place}`),
  base_sha: at.map(() => null),
  display: at.map(() => "same"),
  stages: [
    column("chain", null, value),
    {
      ...column(
        "dpi",
        null,
        value.map(() => null),
      ),
      low: value.map(() => null),
    },
    column("chain", "operator>", value),
  ],
});

test("series stand at their commits; what was never measured is none", () => {
  const found = seriesOf(
    [line("sfc_a", [0, 2, 3], [10, null, 12]), line("sfc_b", [1], [7])],
    ["chain", "dpi"],
    4,
  );
  expect(found.map((one) => one.stage)).toEqual(["sfc_a chain", "sfc_b chain"]);
  expect(found[0]?.value).toEqual([10, null, null, 12]);
  expect(found[0]?.low).toEqual([9, null, null, 11]);
  expect(found[0]?.high).toEqual([10, null, null, 12]);
});

test("a series is linked, without prices of features, or as measured", () => {
  const of = (values: "linked" | "same_features" | "measured", stage = "chain") =>
    seriesOf([line("sfc_a", [0, 1], [10, null])], [stage], 2, values)[0];
  expect(of("measured")?.value).toEqual([15, null]);
  expect(of("measured")?.low).toEqual([14, null]);
  expect(of("same_features")?.value).toEqual([9, null]);
  expect(of("same_features")?.low[0]).toBeCloseTo(8.1);
  expect(of("same_features", "chain > operator>")?.value).toEqual([10, null]);
  expect(of("linked")?.value).toEqual([10, null]);
});

test("a name tells only what differs", () => {
  const names = (...of: ReturnType<typeof line>[]) => seriesOf(of, ["chain"], 1).map((one) => one.stage);
  expect(names(line("a", [0], [1]))).toEqual(["chain"]);
  expect(names(line("a", [0], [1], "main"), line("a", [0], [1], "next"))).toEqual([
    "chain @main",
    "chain @next",
  ]);
});

test("a function's series is told by its stage and its name", () => {
  const found = seriesOf([line("a", [0], [1])], ["chain", "chain > operator>"], 1);
  expect(found.map((one) => one.stage)).toEqual(["chain", "chain > operator>"]);
});

test("relative is against the commit, or the last one measured before it, or the first after", () => {
  const series = seriesOf([line("a", [1, 3], [10, 12])], ["chain"], 4);
  expect(relativeTo(series, 2)[0]?.value).toEqual([null, 0, null, (12 / 10 - 1) * 100]);
  expect(relativeTo(series, 0)[0]?.value[1]).toBe(0);
});

test("a logarithmic axis has no place for 0", () => {
  expect(positive(seriesOf([line("a", [0, 1], [0, 5])], ["chain"], 2))[0]?.value).toEqual([null, 5]);
});

test("the run at a commit is that of the first line which has one", () => {
  const lines = [line("a", [1], [1]), line("b", [0, 1], [1, 1])];
  expect(runAt(lines, 0)?.line.scenario).toBe("b");
  expect(runAt(lines, 1)?.line.scenario).toBe("a");
  expect(runAt(lines, 2)).toBeNull();
});

const long = (count: number): Columns => {
  const value = Array.from({ length: count }, (_, index) => (index === 777 ? 999 : 100 + (index % 7)));
  return { x: value.map((_, index) => index), stages: [{ stage: "chain", value, low: value, high: value }] };
};

test("thinning keeps the one dear commit, and few columns", () => {
  const thin = thinned(long(10_000), wholeOf(10_000), 1600);
  expect(thin.x.length).toBeLessThanOrEqual(1700);
  expect(thin.stages[0]?.value).toHaveLength(thin.x.length);
  expect(thin.stages[0]?.value).toContain(999);
  expect(thin.stages[0]?.high).toContain(999);
});

test("what fits is shown as it is, with a neighbour at each end", () => {
  const thin = thinned(long(1000), { from: 100, to: 199 }, 1600);
  expect([thin.x[0], thin.x.at(-1)]).toEqual([99, 200]);
});

test("zoom keeps the commit under the pointer, pan stops at the ends", () => {
  expect(zoomed({ from: 0, to: 99 }, 0.5, 50, 1000)).toEqual({ from: 25, to: 74 });
  expect(zoomed({ from: 0, to: 99 }, 100, 50, 1000)).toEqual({ from: 0, to: 999 });
  expect(zoomed({ from: 10, to: 14 }, 0.5, 12, 1000)).toMatchObject({ from: 10, to: 14 });
  expect(panned({ from: 900, to: 999 }, 0.5, 1000)).toEqual({ from: 900, to: 999 });
  expect(panned({ from: 100, to: 199 }, -0.5, 1000)).toEqual({ from: 50, to: 149 });
  expect(between(20, 10, 1000)).toEqual({ from: 10, to: 20 });
});

test("what is relative in the chart is relative in table and file, with its unit", () => {
  const series = seriesOf([line("a", [0, 1], [100, 107.9])], ["chain"], 2);
  const commits = { sha: ["aa", "bb"], committed_at: [null, null], subject: [null, null] };
  const drawn = drawnSeries(series, commits.sha, "cycles/packet", "relative", undefined);
  expect(drawn.unit).toBe("%");
  expect(drawn.series[0]?.value.map((one) => one?.toFixed(1))).toEqual(["0.0", "7.9"]);
  expect(valueText(drawn.series[0]?.value[1], drawn.unit)).toBe("+7.9\u202f%");
  expect(rowsOf(commits, drawn.series, drawn.unit)[0]).toContain("chain [%]");
  expect(drawnSeries(series, commits.sha, "", "relative", "b").series[0]?.value[1]).toBe(0);
  const log = drawnSeries(series, commits.sha, "cycles/packet", "log", undefined);
  expect([log.unit, log.series[0]?.value[1]]).toEqual(["cycles/packet", 107.9]);
});
