// SPDX-License-Identifier: Apache-2.0
import type uPlot from "uplot";
import { clustered } from "../logic/charts/clusters";
import type { Mark } from "../logic/charts/history";
import type { Positions } from "../logic/charts/positions";
import type { Span } from "../logic/charts/thin";

interface Shape {
  points: readonly (readonly [number, number])[];
  token: string;
  /** CSS pixels below the top of the chart; verdicts, findings and changes of level each have their line. */
  down: number;
}

const VERDICTS = 8;
const ALERTS = 21;
const LEVELS = 34;
const RELEASES = 47;

/** Shape and token of a mark; the shape tells them apart without colour. */
export const MARK_SHAPES: Record<string, Shape> = {
  regressed: {
    points: [
      [0, -5],
      [5, 4],
      [-5, 4],
    ],
    token: "--regressed",
    down: VERDICTS,
  },
  improved: {
    points: [
      [0, 5],
      [5, -4],
      [-5, -4],
    ],
    token: "--improved",
    down: VERDICTS,
  },
  feature: {
    points: [
      [0, -5.5],
      [5.5, 0],
      [0, 5.5],
      [-5.5, 0],
    ],
    token: "--feature",
    down: VERDICTS,
  },
  broken: {
    points: [
      [-4, -4],
      [4, -4],
      [4, 4],
      [-4, 4],
    ],
    token: "--broken-mark",
    down: VERDICTS,
  },
  alert: {
    points: [
      [-2, -5],
      [2, -5],
      [5, -2],
      [5, 2],
      [2, 5],
      [-2, 5],
      [-5, 2],
      [-5, -2],
    ],
    token: "--regressed",
    down: ALERTS,
  },
  fix: {
    points: [
      [-6, 0],
      [-4, -2],
      [-2, 0],
      [4, -5],
      [6, -3],
      [-2, 4],
    ],
    token: "--improved",
    down: ALERTS,
  },
  level_worse: {
    points: [
      [-6, 4],
      [-6, 1],
      [-1, 1],
      [-1, -4],
      [6, -4],
      [6, -1],
      [2, -1],
      [2, 4],
    ],
    token: "--regressed",
    down: LEVELS,
  },
  level_better: {
    points: [
      [-6, -4],
      [-6, -1],
      [-1, -1],
      [-1, 4],
      [6, 4],
      [6, 1],
      [2, 1],
      [2, -4],
    ],
    token: "--improved",
    down: LEVELS,
  },
  segment: {
    points: [
      [-1.5, -6],
      [6, -3],
      [0, 0],
      [0, 6],
      [-1.5, 6],
    ],
    token: "--ink-soft",
    down: LEVELS,
  },
  environment: {
    points: [
      [-5, -3],
      [5, -3],
      [5, 0],
      [0, 4],
      [-5, 0],
    ],
    token: "--ink-soft",
    down: LEVELS,
  },
  release: {
    points: [
      [-5, -5],
      [1, -5],
      [6, 0],
      [1, 5],
      [-5, 5],
    ],
    token: "--feature",
    down: RELEASES,
  },
};

/** CSS pixels above the plot that the marks need. */
export const roomFor = (marks: readonly Mark[]): number =>
  Math.max(0, ...marks.map((mark) => MARK_SHAPES[mark.display]?.down ?? 0)) + 10;

/** Symbols stand at least so far apart; those between are counted. CSS pixels. */
const APART = 22;
/** With more symbols than this, dashed lines would hide the curves: only those under the pointer have one. */
const MOST_LINES = 24;

/**
 * Draws a shape above the plot for the marked commits of the span, several close ones as one with their number; and
 * a dashed line down from each while there are few, else from those at the hovered commit.
 */
export function drawMarks(
  chart: uPlot,
  marks: readonly Mark[],
  { at }: Positions,
  span: Span,
  hovered: number | null,
): void {
  const { ctx, bbox } = chart;
  const style = getComputedStyle(document.documentElement);
  const pixel = window.devicePixelRatio || 1;
  const inks = new Map<string, string>();
  const inkOf = (token: string): string => {
    const known = inks.get(token) ?? style.getPropertyValue(token).trim();
    inks.set(token, known);
    return known;
  };
  const placeOf = (mark: Mark): number => chart.valToPos(at(mark.index), "x", true) / pixel;
  const rows = new Map<number, Mark[]>();
  for (const mark of marks) {
    const shape = MARK_SHAPES[mark.display];
    if (shape === undefined || mark.index < span.from || mark.index > span.to) continue;
    const row = rows.get(shape.down);
    if (row) row.push(mark);
    else rows.set(shape.down, [mark]);
  }
  const clusters = [...rows.values()].flatMap((row) => clustered(row, placeOf, APART));
  const few = clusters.length <= MOST_LINES;
  ctx.save();
  ctx.lineWidth = pixel;
  ctx.font = `${9 * pixel}px system-ui, sans-serif`;
  // The axes, drawn before, leave theirs.
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  for (const { mark, count, at: left } of clusters) {
    const shape = MARK_SHAPES[mark.display] as Shape;
    const [x, y] = [left * pixel, shape.down * pixel];
    ctx.strokeStyle = inkOf(shape.token);
    ctx.fillStyle = inkOf(shape.token);
    if ((few && count === 1) || mark.index === hovered) dashedDown(ctx, x, y, bbox.top + bbox.height, pixel);
    ctx.beginPath();
    for (const [dx, dy] of shape.points) ctx.lineTo(x + dx * pixel, y + dy * pixel);
    ctx.closePath();
    ctx.fill();
    if (count > 1) ctx.fillText(String(count), x + 7 * pixel, y + 3 * pixel);
  }
  ctx.restore();
}

function dashedDown(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  bottom: number,
  pixel: number,
): void {
  ctx.globalAlpha = 0.55;
  ctx.setLineDash([3 * pixel, 4 * pixel]);
  ctx.beginPath();
  ctx.moveTo(x, y + 8 * pixel);
  ctx.lineTo(x, bottom);
  ctx.stroke();
  ctx.globalAlpha = 1;
  ctx.setLineDash([]);
}

/** Draws a dashed line across the plot at a value. */
export function drawLevel(chart: uPlot, level: number): void {
  const { ctx, bbox } = chart;
  const pixel = window.devicePixelRatio || 1;
  const y = chart.valToPos(level, "y", true);
  ctx.save();
  ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--line-strong").trim();
  ctx.lineWidth = pixel;
  ctx.setLineDash([6 * pixel, 4 * pixel]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}
