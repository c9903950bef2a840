// SPDX-License-Identifier: Apache-2.0
/** Curves over one quantity: lines, a band around one of them, measured dots, bars, and values that matter. */
import { logTicks } from "../logic/charts/axis";
import { ticks } from "../logic/run/rounds";
import { useWidth } from "./useWidth";

export type Point = readonly [x: number, y: number];

export interface Curve {
  name: string;
  color: string;
  dash?: string;
  points: readonly Point[];
}

export interface PlotAxis {
  name: string;
  low: number;
  high: number;
  log?: boolean;
  text: (value: number) => string;
}

/** A value that a line across the plot marks: upright at `x`, level at `y`. */
export interface PlotMark {
  name: string;
  x?: number | undefined;
  y?: number | undefined;
}

interface Props {
  label: string;
  x: PlotAxis;
  y: PlotAxis;
  curves?: readonly Curve[];
  band?: { low: readonly Point[]; high: readonly Point[]; name: string } | undefined;
  dots?: { name: string; points: readonly Point[] } | undefined;
  bars?: { name: string; points: readonly Point[] } | undefined;
  marks?: readonly PlotMark[];
}

const HEIGHT = 240;
const [LEFT, RIGHT, TOP, BOTTOM] = [62, 12, 10, 38];
const [X_TICKS, Y_TICKS] = [8, 5];
const DASH = "5 4";

export function CurvePlot(props: Props) {
  const [element, width] = useWidth<HTMLDivElement>();
  const { curves = [], band, dots, bars, marks = [] } = props;
  return (
    <div>
      <div ref={element} style={{ minHeight: HEIGHT }}>
        {width > LEFT + RIGHT && <Plot {...props} width={width} />}
      </div>
      <div className="legend">
        {curves.map((curve) => (
          <span className="key" key={curve.name}>
            <LineKey color={curve.color} dash={curve.dash} />
            {curve.name}
          </span>
        ))}
        {band && (
          <span className="key">
            <span className="key-box" style={{ background: "var(--head-dot)", opacity: 0.25 }} />
            {band.name}
          </span>
        )}
        {dots && (
          <span className="key">
            <svg aria-hidden="true" width={12} height={12}>
              <circle cx={6} cy={6} r={4} fill="var(--ink)" />
            </svg>
            {dots.name}
          </span>
        )}
        {bars && (
          <span className="key">
            <span className="key-box" style={{ background: "var(--part-instructions)", opacity: 0.6 }} />
            {bars.name}
          </span>
        )}
        {marks.map((mark) => (
          <span className="key" key={mark.name}>
            <LineKey color="var(--ink-soft)" dash={DASH} />
            {mark.name}
          </span>
        ))}
      </div>
    </div>
  );
}

function LineKey({ color, dash }: { color: string; dash: string | undefined }) {
  return (
    <svg aria-hidden="true" width={18} height={8}>
      <line x1={0} x2={18} y1={4} y2={4} stroke={color} strokeWidth={2} strokeDasharray={dash} />
    </svg>
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
  axis.log ? logTicks(axis.low, axis.high) : ticks(axis.low, axis.high, count);

function Plot({ label, x, y, curves = [], band, dots, bars, marks = [], width }: Props & { width: number }) {
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
      {marks.map((mark) => (
        <line
          key={mark.name}
          x1={mark.x === undefined ? LEFT : toX(mark.x)}
          x2={mark.x === undefined ? right : toX(mark.x)}
          y1={mark.y === undefined ? TOP : toY(mark.y)}
          y2={mark.y === undefined ? bottom : toY(mark.y)}
          stroke="var(--ink-soft)"
          strokeDasharray={DASH}
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
      {dots?.points.map(([px, py]) => (
        <circle key={`${px} ${py}`} cx={toX(px)} cy={toY(py)} r={3.6} fill="var(--ink)" />
      ))}
      <line x1={LEFT} x2={right} y1={bottom} y2={bottom} stroke="var(--line-strong)" />
      <text x={(LEFT + right) / 2} y={HEIGHT - 5} textAnchor="middle">
        {x.name}
      </text>
    </svg>
  );
}
