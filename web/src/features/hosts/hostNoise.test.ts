// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { noiseColumns } from "./hostNoise";

test("each scenario has a line, which holds its value until its next run", () => {
  const points = [
    { project: "nf", scenario: "b", width: 0.02 },
    { project: "nf", scenario: "a", width: 0.01 },
    { project: "nf", scenario: "b", width: 0.03 },
  ];
  const { x, stages } = noiseColumns(points);
  expect(x).toEqual([0, 1, 2]);
  expect(stages.map((line) => [line.stage, line.value])).toEqual([
    ["nf: a", [null, 1, 1]],
    ["nf: b", [2, 2, 3]],
  ]);
});
