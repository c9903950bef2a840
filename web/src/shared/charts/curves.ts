// SPDX-License-Identifier: Apache-2.0
/** What a plot of curves is made of. */

export type Point = readonly [x: number, y: number];

export interface Curve {
  name: string;
  color: string;
  dash?: string;
  points: readonly Point[];
  /** Where the points were measured, a shape tells curves apart without their colours. */
  marker?: "circle" | "square";
  /** What the points scatter between, in the curve's colour. */
  between?: { low: readonly Point[]; high: readonly Point[] } | undefined;
}

export interface PlotAxis {
  name: string;
  low: number;
  high: number;
  log?: boolean;
  /** Without these, ticks are round numbers. */
  ticks?: readonly number[];
  text: (value: number) => string;
}

/** A value that a line across the plot marks: upright at `x`, level at `y`. */
export interface PlotMark {
  name: string;
  x?: number | undefined;
  y?: number | undefined;
  /** The interval of `x`. */
  between?: readonly [low: number, high: number] | undefined;
  color?: string;
  dash?: string;
}

export interface Dots {
  name: string;
  points: readonly Point[];
  /** Intervals of y, one a dot. */
  between?: readonly (readonly [low: number, high: number])[];
  /** What stands at each dot. */
  texts?: readonly string[];
}

export interface PlotProps {
  label: string;
  x: PlotAxis;
  y: PlotAxis;
  curves?: readonly Curve[];
  band?: { low: readonly Point[]; high: readonly Point[]; name: string } | undefined;
  dots?: Dots | undefined;
  bars?: { name: string; points: readonly Point[] } | undefined;
  marks?: readonly PlotMark[];
}
