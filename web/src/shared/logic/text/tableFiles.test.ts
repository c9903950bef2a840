// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { csvOf } from "./csv";
import { batchesFile, priceFile, stageFile } from "./tableFiles";

test("a table of stages is saved unrounded, the chain last, what is missing empty", () => {
  const nat = { stage: "nat", ratio_cpp: 1.2, contribution_cycles: 30.123456, head: { cpp: 180 } };
  const lines = csvOf(stageFile([nat], { ratio_cpp: 1.1 })).split("\r\n");
  expect(lines.slice(1, 3)).toEqual(["nat,1.2,,,30.123456,,180,,,,", "chain,1.1,,,,,,,,,"]);
});

test("a price is saved with its interval and its effect on the rate", () => {
  const now = { cycles: 30.5, low: 29, high: null, pps: -1e6 };
  const price = priceFile([{ feature: "nat", scenario: "a", host_class: "vm", source: "stage", now }]);
  expect(price[1]).toEqual(["nat", "a", "vm", "stage", 30.5, 29, null, -1e6]);
});

test("batch sizes of one share are rows of their own", () => {
  expect(batchesFile([0, 0.25, 0.5, 0.25, 0]).slice(1)).toEqual([
    [0, 0],
    [1, 0.25],
    [2, 0.5],
    [3, 0.25],
    [4, 0],
  ]);
});
