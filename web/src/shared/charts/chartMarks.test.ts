// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import type uPlot from "uplot";
import { expect, test } from "vitest";
import type { Mark } from "../logic/charts/history";
import { drawMarks } from "./chartMarks";

test("the number of marks that stand as one begins right of their symbol, however axes were drawn", () => {
  const drawn: unknown[] = [];
  const nothing = (): void => {};
  const ctx = {
    ...{ textAlign: "center", textBaseline: "top", save: nothing, restore: nothing },
    ...{ beginPath: nothing, closePath: nothing, fill: nothing, stroke: nothing, setLineDash: nothing },
    ...{ moveTo: nothing, lineTo: nothing },
    fillText: (text: string, x: number) => drawn.push([text, x, ctx.textAlign, ctx.textBaseline]),
  };
  const bbox = { left: 0, top: 40, width: 300, height: 100 };
  const chart = { ctx, bbox, valToPos: (value: number) => 100 + value } as unknown as uPlot;
  const marks = [0, 1, 2].map((index) => ({ index, display: "environment" }) as Mark);
  drawMarks(chart, marks, { at: (index: number) => index } as never, { from: 0, to: 2 }, null);
  const right = 5;
  expect(drawn).toEqual([["3", expect.any(Number), "left", "alphabetic"]]);
  expect((drawn[0] as [string, number])[1]).toBeGreaterThan(100 + right);
});
