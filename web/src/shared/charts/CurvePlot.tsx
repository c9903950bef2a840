// SPDX-License-Identifier: Apache-2.0
/** Curves over one quantity: lines, a band around one of them, measured dots, bars, and values that matter. */
import { logTicks } from "../logic/charts/axis";
import { ticks } from "../logic/run/rounds";
import { CurveLegend } from "./CurveLegend";
import { MARK_DASH, Marker } from "./curveShapes";
import type { PlotAxis, PlotProps, Point } from "./curves";
import { useWidth } from "./useWidth";

const HEIGHT = 240;
const [LEFT, RIGHT, TOP, BOTTOM] = [62, 12, 10, 38];
const [X_TICKS, Y_TICKS] = [8, 5];
/** Of a dot's text: from the dot, and at the right end of the plot. */
const [BESIDE, TEXT_ROOM] = [7, 24];

export function CurvePlot(props: PlotProps) {
  const [element, width] = useWidth<HTMLDivElement>();
  return (
    <div>
      <div ref={element} style={{ minHeight: HEIGHT }}>
        {width > LEFT + RIGHT && <Plot {...props} width={width} />}
      </div>
      <CurveLegend {...props} />
    </div>
  );
}

function placer({ low, high, log }: PlotAxis, from: number, to: number): (value: number) => number {
  const scale = (value: number): number => (log ? Math.log(Math.max(value, low)) : value);
  const [first, last] = [scale(low), scale(high)];
  return (value) => {
    const share = (scale(value) - first) / (last - first || 1);
    return from + Math.min(Math.max(share, 0), 1) * (to - from);
  };
}

const marksOf = (axis: PlotAxis, count: number): number[] =>
  axis.ticks?.slice() ?? (axis.log ? logTicks(axis.low, axis.high) : ticks(axis.low, axis.high, count));

function Plot({
  label,
  x,
  y,
  curves = [],
  band,
  dots,
  bars,
  marks = [],
  width,
}: PlotProps & { width: number }) {
  const right = width - RIGHT;
  const bottom = HEIGHT - BOTTOM;
  const toX = placer(x, LEFT, right);
  const toY = placer(y, bottom, TOP);
  const path = (points: readonly Point[]): string =>
    points.map(([px, py]) => `${toX(px).toFixed(1)},${toY(py).toFixed(1)}`).join(" ");
  const step = bars ? (right - LEFT) / Math.max(x.high - x.low, 1) : 0;
  return (
    <svg role="img" aria-label={label} width={width} height={HEIGHT}>
      {marksOf(y, Y_TICKS).map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={right} y1={toY(tick)} y2={toY(tick)} stroke="var(--line)" />
          <text x={LEFT - 8} y={toY(tick) + 4} textAnchor="end">
            {y.text(tick)}
          </text>
        </g>
      ))}
      {marksOf(x, Math.min(X_TICKS, Math.floor((right - LEFT) / 56))).map((tick) => (
        <text key={tick} x={toX(tick)} y={bottom + 16} textAnchor="middle">
          {x.text(tick)}
        </text>
      ))}
      {band && (
        <polygon
          points={`${path(band.low)} ${path([...band.high].reverse())}`}
          fill="var(--head-dot)"
          opacity={0.18}
        />
      )}
      {bars?.points.map(([at, height]) => (
        <rect
          key={at}
          x={toX(at - 0.4)}
          width={Math.max(step * 0.8, 1)}
          y={toY(height)}
          height={Math.max(bottom - toY(height), 0)}
          fill="var(--part-instructions)"
          opacity={0.6}
        />
      ))}
      {curves.map(
        ({ name, color, between }) =>
          between && (
            <polygon
              key={name}
              points={`${path(between.low)} ${path([...between.high].reverse())}`}
              fill={color}
              opacity={0.18}
            />
          ),
      )}
      {marks.map(
        ({ name, between, color = "var(--ink-soft)" }) =>
          between && (
            <rect
              key={name}
              x={toX(between[0])}
              width={Math.max(toX(between[1]) - toX(between[0]), 1)}
              y={TOP}
              height={bottom - TOP}
              fill={color}
              opacity={0.12}
            />
          ),
      )}
      {marks.map((mark) => (
        <line
          key={mark.name}
          x1={mark.x === undefined ? LEFT : toX(mark.x)}
          x2={mark.x === undefined ? right : toX(mark.x)}
          y1={mark.y === undefined ? TOP : toY(mark.y)}
          y2={mark.y === undefined ? bottom : toY(mark.y)}
          stroke={mark.color ?? "var(--ink-soft)"}
          strokeDasharray={mark.dash ?? MARK_DASH}
        />
      ))}
      {curves.map((curve) => (
        <polyline
          key={curve.name}
          points={path(curve.points)}
          fill="none"
          stroke={curve.color}
          strokeWidth={2}
          strokeDasharray={curve.dash}
        />
      ))}
      {curves.map(({ name, color, marker, points }) =>
        points.map(
          ([px, py]) =>
            marker && <Marker key={`${name} ${px}`} shape={marker} x={toX(px)} y={toY(py)} color={color} />,
        ),
      )}
      {dots?.points.map(([px, py], place) => (
        <g key={`${px} ${py}`}>
          <Whisker x={toX(px)} of={dots.between?.[place]?.map(toY)} />
          <circle cx={toX(px)} cy={toY(py)} r={3.6} fill="var(--ink)" />
          {dots.texts?.[place] !== undefined && (
            <text
              x={toX(px) + (toX(px) > right - TEXT_ROOM ? -BESIDE : BESIDE)}
              y={toY(py) + 2 * BESIDE}
              textAnchor={toX(px) > right - TEXT_ROOM ? "end" : "start"}
              stroke="var(--panel)"
              strokeWidth={3}
              paintOrder="stroke"
            >
              {dots.texts[place]}
            </text>
          )}
        </g>
      ))}
      <line x1={LEFT} x2={right} y1={bottom} y2={bottom} stroke="var(--line-strong)" />
      <text x={(LEFT + right) / 2} y={HEIGHT - 5} textAnchor="middle">
        {x.name}
      </text>
    </svg>
  );
}

const CAP = 3;

/** An interval upright at x, with a cap at each end. */
function Whisker({ x, of }: { x: number; of: readonly number[] | undefined }) {
  if (of === undefined) return null;
  const [low = 0, high = low] = of;
  return (
    <path
      d={`M${x} ${low}V${high}M${x - CAP} ${low}h${2 * CAP}M${x - CAP} ${high}h${2 * CAP}`}
      stroke="var(--ink-soft)"
      strokeWidth={1.4}
    />
  );
}
