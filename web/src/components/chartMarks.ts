// SPDX-License-Identifier: Apache-2.0
import type uPlot from "uplot";
import type { Mark } from "../logic/history";

/** Shape and token of a verdict's mark; the shape tells them apart without colour. */
export const MARK_SHAPES: Record<string, { points: readonly (readonly [number, number])[]; token: string }> =
  {
    regressed: {
      points: [
        [0, -5],
        [5, 4],
        [-5, 4],
      ],
      token: "--regressed",
    },
    improved: {
      points: [
        [0, 5],
        [5, -4],
        [-5, -4],
      ],
      token: "--improved",
    },
    feature: {
      points: [
        [0, -5.5],
        [5.5, 0],
        [0, 5.5],
        [-5.5, 0],
      ],
      token: "--feature",
    },
    broken: {
      points: [
        [-4, -4],
        [4, -4],
        [4, 4],
        [-4, 4],
      ],
      token: "--broken-back",
    },
  };

/** Draws a dashed line and a shape at each marked commit, at the top of the plot. */
export function drawMarks(chart: uPlot, marks: readonly Mark[]): void {
  const { ctx, bbox } = chart;
  const style = getComputedStyle(document.documentElement);
  const pixel = window.devicePixelRatio || 1;
  ctx.save();
  for (const mark of marks) {
    const shape = MARK_SHAPES[mark.display];
    if (shape === undefined) continue;
    const x = chart.valToPos(mark.index, "x", true);
    const y = bbox.top + 8 * pixel;
    const color = style.getPropertyValue(shape.token).trim();
    ctx.strokeStyle = color;
    ctx.fillStyle = color;
    ctx.lineWidth = pixel;
    ctx.globalAlpha = 0.55;
    ctx.setLineDash([3 * pixel, 4 * pixel]);
    ctx.beginPath();
    ctx.moveTo(x, y + 8 * pixel);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.setLineDash([]);
    ctx.beginPath();
    for (const [dx, dy] of shape.points) ctx.lineTo(x + dx * pixel, y + dy * pixel);
    ctx.closePath();
    ctx.fill();
  }
  ctx.restore();
}
