// SPDX-License-Identifier: Apache-2.0
/** How uPlot draws a history: axes, a line and a band per series, the pointer. */
import type uPlot from "uplot";
import { logTicks } from "../logic/charts/axis";
import type { Columns, Scale } from "../logic/charts/history";
import { stageInk } from "../logic/charts/palette";
import type { Positions } from "../logic/charts/positions";
import { between, lengthOf, panned, type Span, zoomed } from "../logic/charts/thin";
import { dateTicks, signed, significant, THIN } from "../logic/text/format";

/** Half a label of the last commit reaches so far beyond the plot. CSS pixels. */
const LAST_LABEL = 26;
/** Points are drawn as dots as long as they lie this far apart, in CSS pixels. */
const DOT_SPACING = 9;
/** Charts with this key show one common cursor. */
const SYNC_KEY = "history";

export interface Hovered {
  index: number;
  /** CSS pixels from the left of the chart. */
  left: number;
}

/** What changes while the chart stands: read at each drawing. */
export interface View {
  span: Span;
  range: [number, number] | null;
}

/** The label of a place, and the place of the label before it. */
export type TickLabel = (index: number, before: number | undefined) => string;

export interface ChartInput {
  width: number;
  height: number;
  dark: boolean;
  stages: readonly string[];
  /** Commits, shown or not. */
  count: number;
  positions: Positions;
  allStages: readonly string[];
  scale: Scale;
  /** Above the plot, for marks. CSS pixels. */
  room: number;
  view: () => View;
  tickLabel: TickLabel;
  onDraw: (chart: uPlot) => void;
  onHover: (hovered: Hovered | null) => void;
  onPick: (index: number) => void;
  /** Null: the chart always shows all. */
  onSpan: ((span: Span) => void) | null;
}

export const aligned = (data: Columns, { at }: Positions): uPlot.AlignedData => [
  data.x.map(at),
  ...data.stages.flatMap((stage) => [stage.value, stage.high, stage.low]),
];

export function chartOptions(input: ChartInput): uPlot.Options {
  const { view, stages } = input;
  const log = input.scale === "log";
  return {
    width: input.width,
    height: input.height,
    padding: [input.room, LAST_LABEL, 0, 0],
    legend: { show: false },
    cursor: {
      // A click counts although snapping moved the cursor, which uPlot would take for a drag.
      drag: { x: input.onSpan !== null, y: false, setScale: false, click: () => {} },
      sync: { key: SYNC_KEY, scales: ["x", null] },
      y: false,
      move: (chart, left, top) => [left < 0 ? left : leftOf(chart, placeAt(chart, left, input), input), top],
      points: { size: 8 },
    },
    scales: {
      x: { time: input.positions.dated, range: () => rangeOf(view().span, input.positions) },
      y: { range: () => view().range ?? (log ? [1, 10] : [0, 1]), ...(log ? { distr: 3 } : {}) },
    },
    axes: axes(input, log),
    series: [{}, ...stages.flatMap((stage) => stageSeries(stage, input))],
    bands: stages.map((stage, index) => ({
      series: [3 * index + 2, 3 * index + 3],
      fill: `${stageInk(stage, input.allStages, input.dark).color}26`,
    })),
    hooks: {
      draw: [input.onDraw],
      ready: [(chart) => listen(chart, input)],
      setSelect: [(chart) => select(chart, input)],
    },
  };
}

function axes(input: ChartInput, log: boolean): uPlot.Axis[] {
  const token = (name: string): string =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: token("--ink-soft"),
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
  };
  return [
    {
      ...axis,
      grid: { show: false },
      size: 30,
      space: 74,
      ...(input.positions.dated
        ? { values: (_, splits) => dateTicks(splits) }
        : {
            incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
            values: (_, splits) => placeTexts(splits, input.tickLabel),
          }),
    },
    {
      ...axis,
      size: 56,
      values: (_, splits) => tickTexts(splits, input.scale, log),
      ...(log
        ? { splits: (_: uPlot, __: number, low: number, high: number) => logTicks(low, high), filter: kept }
        : {}),
    },
  ];
}

function placeTexts(splits: readonly number[], tickLabel: TickLabel): string[] {
  const places = splits.filter(Number.isInteger);
  return splits.map((split) => {
    const place = places.indexOf(split);
    return place < 0 ? "" : tickLabel(split, places[place - 1]);
  });
}

const kept = (_: uPlot, splits: number[]): number[] => splits;

function stageSeries(stage: string, { allStages, dark, width, view }: ChartInput): uPlot.Series[] {
  const ink = stageInk(stage, allStages, dark);
  const dots = (): boolean => width / Math.max(lengthOf(view().span), 1) >= DOT_SPACING;
  const edge: uPlot.Series = { label: `${stage} band`, stroke: "transparent", points: { show: false } };
  return [
    {
      label: stage,
      stroke: ink.color,
      dash: ink.dash,
      width: stage === "chain" ? 2.4 : 1.7,
      points: { show: dots, size: 6, fill: ink.color },
      spanGaps: true,
    },
    edge,
    edge,
  ];
}

/** With the same decimals all along the axis, but for 0 and on a log scale. */
function tickTexts(splits: readonly number[], scale: Scale, log: boolean): string[] {
  if (scale === "relative") return splits.map(percentTick);
  const decimals = log ? undefined : Math.max(...splits.map((split) => decimalsOf(split)));
  return splits.map((split) => axisNumber(split, decimals));
}

const percentTick = (value: number): string =>
  `${signed(value, Math.abs(value) < 10 && value % 1 !== 0 ? 1 : 0)}${THIN}%`;

/** Further decimals would be wider than the axis. */
const MOST_DECIMALS = 6;

function decimalsOf(value: number): number {
  const [digits = "", power = "0"] = rounded(value).toExponential().split("e");
  return Math.max((digits.split(".")[1] ?? "").length - Number(power), 0);
}

const rounded = (value: number): number => Number(value.toPrecision(6));

/** Rates in millions, the rest as it is. */
function axisNumber(value: number, decimals: number | undefined): string {
  if (Math.abs(value) >= 1e5) return `${significant(value / 1e6, 3)}${THIN}M`;
  return value === 0 || decimals === undefined || decimals > MOST_DECIMALS
    ? String(rounded(value))
    : value.toFixed(decimals);
}

/** With half the distance of two commits at each end. */
function rangeOf({ from, to }: Span, { at }: Positions): [number, number] {
  const [first, last] = [at(from), at(Math.max(to, from))];
  const half = to > from ? (last - first) / (2 * (to - from)) : 0.5;
  return [first - half, last + half];
}

const leftOf = (chart: uPlot, place: number, { positions }: ChartInput): number =>
  chart.valToPos(positions.at(place), "x");

/** The commit nearest to so many CSS pixels from the left of the plot: the cursor stands on commits. */
function placeAt(chart: uPlot, left: number, { view, positions }: ChartInput): number {
  const { from, to } = view().span;
  return Math.min(Math.max(positions.placeOf(chart.posToVal(left, "x")), from), to);
}

/** Dragged less than this is a click. CSS pixels. */
const CLICK = 5;

function select(chart: uPlot, input: ChartInput): void {
  const { left, width } = chart.select;
  if (width === 0) return;
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (width < CLICK) return;
  input.onSpan?.(between(placeAt(chart, left, input), placeAt(chart, left + width, input), input.count));
}

/** Tells the page where the pointer is, for the chart under it only; the others just follow with their cursor. */
function listen(chart: uPlot, input: ChartInput): void {
  const { over } = chart;
  const indexAt = (event: MouseEvent): number =>
    placeAt(chart, event.clientX - over.getBoundingClientRect().left, input);
  let pressedAt = 0;
  over.addEventListener("mousemove", (event) => {
    const index = indexAt(event);
    input.onHover({ index, left: leftOf(chart, index, input) + over.offsetLeft });
  });
  over.addEventListener("mouseleave", () => input.onHover(null));
  over.addEventListener("mousedown", (event) => {
    pressedAt = event.clientX;
  });
  over.addEventListener("click", (event) => {
    if (Math.abs(event.clientX - pressedAt) < CLICK) input.onPick(indexAt(event));
  });
  if (input.onSpan !== null) {
    const turn = wheelOf(input);
    over.addEventListener("wheel", (event) => turn(event, indexAt(event)), { passive: false });
  }
}

/** Half as many commits for so much of the wheel, in its pixels. */
const WHEEL_HALVES = 300;

/**
 * With Ctrl (and by pinching) nearer and further, sideways along; the plain wheel is the page's. Turns between two
 * frames are one.
 */
function wheelOf({ view, count, onSpan }: ChartInput): (event: WheelEvent, around: number) => void {
  let frame: number | null = null;
  let [zoom, pan, middle] = [0, 0, 0];
  const apply = (): void => {
    frame = null;
    const { span } = view();
    const nearer = zoom === 0 ? span : zoomed(span, 2 ** (zoom / WHEEL_HALVES), middle, count);
    onSpan?.(pan === 0 ? nearer : panned(nearer, pan / 1000, count));
    zoom = 0;
    pan = 0;
  };
  return (event, around) => {
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (!event.ctrlKey && sideways === 0) return;
    event.preventDefault();
    if (event.ctrlKey) {
      zoom += event.deltaY;
      middle = around;
    } else pan += sideways;
    if (frame === null) frame = requestAnimationFrame(apply);
  };
}
