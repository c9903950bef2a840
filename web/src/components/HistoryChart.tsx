// SPDX-License-Identifier: Apache-2.0
/** One metric over the commits: a line and a noise band per stage, verdict marks, a click opens a commit. */
import { useComputedColorScheme } from "@mantine/core";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import { signed, significant, THIN } from "../logic/format";
import { type Columns, extent, including, type Mark, type Scale } from "../logic/history";
import { stageInk } from "../logic/palette";
import { drawLevel, drawMarks, roomFor } from "./chartMarks";
import { useWidth } from "./useWidth";

/** Points are drawn as dots as long as they lie this far apart, in CSS pixels. */
const DOT_SPACING = 9;
/** Charts with this key show one common cursor. */
const SYNC_KEY = "history";

export interface Hovered {
  index: number;
  /** CSS pixels from the left of the chart. */
  left: number;
}

interface Props {
  data: Columns;
  marks: readonly Mark[];
  /** All stages of the scenario, which fix the colours. */
  allStages: readonly string[];
  /** Tick label of the x axis. */
  tickLabel: (index: number) => string;
  scale: Scale;
  fromZero: boolean;
  /** A dashed line across at this value, kept in sight. */
  level?: number;
  /** CSS pixels. */
  height: number;
  label: string;
  onPick: (index: number) => void;
  tip: (index: number) => ReactNode;
}

export function HistoryChart(props: Props) {
  const { data, marks, allStages, scale, fromZero, level, height, label } = props;
  const [element, width] = useWidth<HTMLDivElement>();
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const room = Math.max(roomFor(marks), 12);
  const dark = useComputedColorScheme("light") === "dark";
  const latest = useRef(props);
  latest.current = props;
  const chart = useRef<uPlot | null>(null);

  const columns = useMemo<uPlot.AlignedData>(
    () => [data.x, ...data.stages.flatMap((stage) => [stage.value, stage.high, stage.low])],
    [data],
  );

  useEffect(() => {
    if (element.current === null || width === 0) return;
    const options = chartOptions({
      width,
      height,
      dark,
      data,
      allStages,
      scale,
      range: including(extent(data, fromZero), level),
      room,
      tickLabel: (index) => latest.current.tickLabel(index),
      onDraw: (self) => {
        if (level !== undefined) drawLevel(self, level);
        drawMarks(self, latest.current.marks);
      },
      onHover: setHovered,
      onPick: (index) => latest.current.onPick(index),
    });
    const made = new uPlot(options, columns, element.current);
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = null;
    };
  }, [element, width, dark, data, columns, allStages, scale, fromZero, level, height, room]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new marks need a new drawing
  useEffect(() => chart.current?.redraw(false), [marks]);

  const tipOnLeft = hovered !== null && hovered.left > width / 2;
  return (
    <div className="chart" role="img" aria-label={label} style={{ minHeight: height }}>
      <div ref={element} />
      {hovered && (
        <div
          className="chart-tip"
          style={tipOnLeft ? { right: width - hovered.left + 14 } : { left: hovered.left + 14 }}
        >
          {props.tip(hovered.index)}
        </div>
      )}
    </div>
  );
}

interface ChartInput {
  width: number;
  height: number;
  dark: boolean;
  data: Columns;
  allStages: readonly string[];
  scale: Scale;
  range: [number, number] | null;
  /** Above the plot, for marks. CSS pixels. */
  room: number;
  tickLabel: (index: number) => string;
  onDraw: (chart: uPlot) => void;
  onHover: (hovered: Hovered | null) => void;
  onPick: (index: number) => void;
}

function chartOptions(input: ChartInput): uPlot.Options {
  const { width, data, range } = input;
  const count = data.x.length;
  const token = (name: string): string =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: token("--ink-soft"),
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
  };
  return {
    width,
    height: input.height,
    padding: [input.room, 12, 0, 0],
    legend: { show: false },
    cursor: {
      // A click counts although snapping moved the cursor, which uPlot would take for a drag.
      drag: { x: false, y: false, click: () => {} },
      sync: { key: SYNC_KEY, scales: ["x", null] },
      y: false,
      move: (chart, left, top) => [left < 0 ? left : snapped(chart, left, count), top],
      points: { size: 8 },
    },
    scales: {
      x: { time: false, range: () => [-0.5, Math.max(count - 0.5, 0.5)] },
      y: { range: () => range ?? [0, 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        space: 74,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
        values: (_, splits) => splits.map((split) => (Number.isInteger(split) ? input.tickLabel(split) : "")),
      },
      { ...axis, size: 56, values: (_, splits) => splits.map((split) => tickText(split, input.scale)) },
    ],
    series: [{}, ...data.stages.flatMap(({ stage }) => stageSeries(stage, input))],
    bands: data.stages.map(({ stage }, index) => ({
      series: [3 * index + 2, 3 * index + 3],
      fill: `${stageInk(stage, input.allStages, input.dark).color}26`,
    })),
    hooks: {
      draw: [input.onDraw],
      ready: [(chart) => listen(chart, count, input)],
    },
  };
}

function stageSeries(stage: string, { allStages, dark, data, width }: ChartInput): uPlot.Series[] {
  const ink = stageInk(stage, allStages, dark);
  const dots = width / Math.max(data.x.length, 1) >= DOT_SPACING;
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

const tickText = (value: number, scale: Scale): string =>
  scale === "relative"
    ? `${signed(value, Math.abs(value) < 10 && value % 1 !== 0 ? 1 : 0)}${THIN}%`
    : axisNumber(value);

/** Rates in millions, the rest as it is. */
const axisNumber = (value: number): string =>
  Math.abs(value) >= 1e5 ? `${significant(value / 1e6, 3)}${THIN}M` : String(Number(value.toPrecision(6)));

/** The cursor stands on commits, not between them. */
const snapped = (chart: uPlot, left: number, count: number): number =>
  chart.valToPos(Math.min(Math.max(Math.round(chart.posToVal(left, "x")), 0), count - 1), "x");

/** Tells the page where the pointer is, for the chart under it only; the others just follow with their cursor. */
function listen(chart: uPlot, count: number, { onHover, onPick }: ChartInput): void {
  const indexAt = (event: MouseEvent): number => {
    const x = event.clientX - chart.over.getBoundingClientRect().left;
    return Math.min(Math.max(Math.round(chart.posToVal(x, "x")), 0), count - 1);
  };
  chart.over.addEventListener("mousemove", (event) => {
    const index = indexAt(event);
    onHover({ index, left: chart.valToPos(index, "x") + chart.over.offsetLeft });
  });
  chart.over.addEventListener("mouseleave", () => onHover(null));
  chart.over.addEventListener("click", (event) => onPick(indexAt(event)));
}
