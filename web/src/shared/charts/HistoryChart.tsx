// SPDX-License-Identifier: Apache-2.0
/** Values over the commits: a line and a noise band per series, marks, a click opens a commit. */
import { useComputedColorScheme } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import { type Columns, extent, including, logExtent, type Mark, type Scale } from "../logic/charts/history";
import { byNumber, type Positions } from "../logic/charts/positions";
import { thinned, wholeOf } from "../logic/charts/thin";
import { significant } from "../logic/text/format";
import { drawLevel, drawMarks, roomFor } from "./chartMarks";
import { aligned, chartOptions, type Hovered, type TickLabel, type View } from "./chartOptions";
import type { Spans } from "./spans";
import { useWidth } from "./useWidth";

interface Props {
  data: Columns;
  marks: readonly Mark[];
  /** Where the commits stand on the x axis; without it by their number. */
  positions?: Positions | undefined;
  /** All stages of the scenario, or all series, which fix the colours. */
  allStages: readonly string[];
  /** Tick label of the x axis. */
  tickLabel: TickLabel;
  /** A place as a screen reader says it; without it as its tick. */
  spoken?: ((index: number) => string) | undefined;
  scale: Scale;
  fromZero: boolean;
  /** A dashed line across at this value, kept in sight. */
  level?: number;
  /** The y axis reaches at least to this value, so that a hair does not fill it. */
  reach?: number;
  /** CSS pixels. */
  height: number;
  label: string;
  /** The commits shown; without it all, and no zoom. */
  spans?: Spans | undefined;
  onPick: (index: number) => void;
  tip: (index: number) => ReactNode;
}

interface Shown extends View {
  thin: Columns;
}

/** What of the data is drawn on so many pixels. */
function shownOf(props: Props, width: number): Shown {
  const { data, scale, fromZero, level, reach } = props;
  const span = props.spans?.get() ?? wholeOf(data.x.length);
  const thin = thinned(data, span, width);
  const plain = scale === "log" ? logExtent(thin) : extent(thin, fromZero);
  const range = scale === "log" ? plain : including(including(plain, level), reach);
  return { span, thin, range };
}

/** CSS pixels: from a commit to its text, and the greatest width of the text, as in styles.css. */
const TIP_GAP = 14;
const TIP_WIDTH = 300;
/** Commits at once with Shift. */
const TEN = 10;

/** A commit's values as a screen reader says them. */
function textAt({ data, tickLabel, spoken }: Props, index: number): string {
  const values = data.stages.flatMap(({ stage, value }) => {
    const one = value[index];
    return one == null ? [] : [`${stage} ${significant(one)}`];
  });
  return `${spoken?.(index) ?? tickLabel(index, undefined)}: ${values.join(", ") || "not measured"}`;
}

/** Beside the commit, on the wider side of it; on a narrow chart above it rather than outside of the chart. */
function tipPlace(at: number, width: number): { left: number } | { right: number } {
  const most = Math.max(width - TIP_WIDTH, 0);
  return at > width / 2
    ? { right: Math.min(width - at + TIP_GAP, most) }
    : { left: Math.min(at + TIP_GAP, most) };
}

export function HistoryChart(props: Props) {
  const {
    data,
    marks,
    positions = byNumber,
    allStages,
    scale,
    fromZero,
    level,
    height,
    label,
    spans,
  } = props;
  const [element, width] = useWidth<HTMLDivElement>();
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const room = Math.max(roomFor(marks), 12);
  const dark = useComputedColorScheme("light") === "dark";
  const latest = useRef(props);
  latest.current = props;
  const view = useRef<Shown | null>(null);
  const chart = useRef<uPlot | null>(null);
  const stages = useMemo(() => data.stages.map((one) => one.stage), [data]);
  const zooms = spans !== undefined;

  const ready = width > 0;
  const size = useRef({ width, height });
  size.current = { width, height };

  useEffect(() => {
    const { width } = size.current;
    if (element.current === null || !ready) return;
    const first = shownOf(latest.current, width);
    view.current = first;
    const options = chartOptions({
      width,
      height,
      dark,
      stages,
      count: data.x.length,
      positions,
      allStages,
      scale,
      room,
      view: () => view.current ?? first,
      tickLabel: (index, before) => latest.current.tickLabel(index, before),
      onDraw: (self) => {
        if (level !== undefined) drawLevel(self, level);
        const { span, thin } = view.current ?? first;
        drawMarks(self, latest.current.marks, positions, span, thin.x[self.cursor.idx ?? -1] ?? null);
      },
      onHover: setHovered,
      onPick: (index) => latest.current.onPick(index),
      onSpan: zooms ? (requested) => latest.current.spans?.set(requested) : null,
    });
    const made = new uPlot(options, aligned(first.thin, positions), element.current);
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = null;
      setHovered(null); // it stood where the old chart had its point
    };
  }, [element, ready, dark, data, positions, stages, allStages, scale, level, height, room, zooms]);

  const drawn = useRef((): void => {
    view.current = shownOf(latest.current, size.current.width);
    chart.current?.setData(aligned(view.current.thin, latest.current.positions ?? byNumber));
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another width changes the size
  useEffect(() => {
    if (chart.current === null || chart.current.width === width) return;
    chart.current.setSize({ width, height });
    drawn.current();
  }, [width]);

  useEffect(() => {
    const chartArea = element.current;
    if (spans === undefined || chartArea === null) return;
    let [frame, visible, late]: [number | null, boolean, boolean] = [null, true, false];
    const draw = (): void => {
      frame = null;
      late = !visible;
      if (!late) drawn.current();
    };
    const schedule = (): void => {
      setHovered(null);
      frame ??= requestAnimationFrame(draw);
    };
    const seen = new IntersectionObserver((entries) => {
      visible = entries.at(-1)?.isIntersecting ?? true;
      if (visible && late) schedule();
    });
    seen.observe(chartArea);
    const stop = spans.subscribe(schedule);
    return () => {
      stop();
      seen.disconnect();
      if (frame !== null) cancelAnimationFrame(frame);
    };
  }, [spans, element]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another ground is drawn on the chart that stands
  useEffect(() => drawn.current(), [spans, fromZero]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new marks need a new drawing
  useEffect(() => chart.current?.redraw(false), [marks]);

  const readAt = (index: number): void => {
    const made = chart.current;
    if (made === null) return;
    const at = Math.min(Math.max(index, view.current?.span.from ?? 0), view.current?.span.to ?? 0);
    const left = made.valToPos(positions.at(at), "x");
    made.setCursor({ left, top: 10 }, false);
    setHovered({ index: at, left: left + made.over.offsetLeft });
  };
  const onKey = (event: KeyboardEvent): void => {
    const shown = view.current?.span ?? wholeOf(data.x.length);
    const current = hovered?.index ?? shown.to + 1;
    const step = event.shiftKey ? TEN : 1;
    const to: Record<string, number> = {
      ArrowLeft: current - step,
      ArrowRight: (hovered?.index ?? shown.from - 1) + step,
      Home: shown.from,
      End: shown.to,
    };
    const next = to[event.key];
    if (next !== undefined) readAt(next);
    else if (event.key === "Enter" && hovered) props.onPick(hovered.index);
    else if (event.key === "Escape" && hovered) setHovered(null);
    else return;
    event.preventDefault();
  };

  const last = Math.max(data.x.length - 1, 0);
  return (
    <div
      className="chart"
      role="slider"
      tabIndex={0}
      aria-label="Commit read from the chart"
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={hovered?.index ?? last}
      aria-valuetext={hovered ? textAt(props, hovered.index) : "Arrow keys read commits, Enter opens one"}
      style={{ minHeight: height }}
      onKeyDown={onKey}
      onBlur={() => setHovered(null)}
    >
      <div ref={element} role="img" aria-label={label} />
      {hovered && (
        <div className="chart-tip" style={tipPlace(hovered.left, width)}>
          {props.tip(hovered.index)}
        </div>
      )}
    </div>
  );
}
