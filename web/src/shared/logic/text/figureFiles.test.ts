// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { csvOf } from "./csv";
import { fitFile, priceHistoryFile, ratesFile, resolutionFile } from "./figureFiles";

test("a price's history has a column for each stage that pays, empty where one does not", () => {
  const reported = { source: "stage", scenario: "sfc_a", host_class: "vm" };
  const point = { run_id: null, cycles: 30.123456, low: null, high: null, pps: null };
  const points = [
    { ...point, commit: { sha: "a" }, stages: { nat: 30.5 } },
    { ...point, commit: { sha: "b" }, stages: { tx: -0.5 } },
  ];
  const [head, ...rows] = priceHistoryFile([{ ...reported, points }]);
  expect(head?.slice(-2)).toEqual(["paid_by_nat [cycles/packet]", "paid_by_tx [cycles/packet]"]);
  expect(rows.map((row) => row.slice(-2))).toEqual([
    [30.5, undefined],
    [undefined, -0.5],
  ]);
  expect(rows[0]?.[5]).toBe(30.123456);
});

test("rates are saved as counted, group by group", () => {
  const of = { hits: 1, trials: 3, rate: 1 / 3, low: 0.01, high: 0.9 };
  expect(ratesFile([{ group: "size", rates: [{ name: "2 %", of }] }])[1]).toEqual([
    "size",
    "2 %",
    1,
    3,
    1 / 3,
    0.01,
    0.9,
  ]);
});

test("terms and predictions of a cost model stand in one table", () => {
  const features = ["dpi", "nat"];
  const prediction = { features, measured: 512, predicted: 510, error: -0.004, held_out: true };
  const fit = { model: { terms: [{ features, cycles: 12.5 }] }, predictions: [prediction] };
  const lines = csvOf(fitFile(fit)).split("\r\n");
  expect(lines.slice(1, 3)).toEqual(["term,dpi nat,12.5,,,", "held out,dpi nat,,512,510,-0.004"]);
});

test("what a host sees has a column for each count of launches anywhere", () => {
  const resolution = { project: "demo", scenario: "a", runs: 2, launches: 6, width: 0.01, spread: null };
  const rows = resolutionFile([
    { ...resolution, detectable: [{ launches: 6, change: 0.02 }] },
    { ...resolution, detectable: [{ launches: 12, change: 0.014 }] },
  ]);
  expect(rows[0]?.slice(-2)).toEqual(["seen_in_6_launches [share]", "seen_in_12_launches [share]"]);
  expect(rows[2]?.slice(-2)).toEqual([undefined, 0.014]);
});
