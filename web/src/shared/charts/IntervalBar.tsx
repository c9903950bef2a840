// SPDX-License-Identifier: Apache-2.0
import { type Axis, placeOn, type Reaching } from "../logic/charts/axis";

const WIDTH = 170;
const HEIGHT = 18;
const EDGE = 4;

interface Props {
  of: Reaching;
  axis: Axis;
  color?: string;
  /** A dot in place of a bar: for what has no natural zero. */
  dot?: boolean;
}

/** A bar from the axis' zero with the interval as a whisker. Decoration: the text beside it says the same. */
export function IntervalBar({ of, axis, color = "var(--part-instructions)", dot = false }: Props) {
  if (of.value == null) return null;
  const at = (value: number): number => EDGE + placeOn(axis, value) * (WIDTH - 2 * EDGE);
  const [zero, end, middle] = [at(axis.zero), at(of.value), HEIGHT / 2];
  const whisker = of.low != null && of.high != null ? [at(of.low), at(of.high)] : null;
  return (
    <svg aria-hidden="true" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <line x1={0} x2={WIDTH} y1={middle} y2={middle} stroke="var(--line)" />
      {!dot && (
        <rect
          x={Math.min(zero, end)}
          y={3.5}
          width={Math.max(Math.abs(end - zero), 1)}
          height={HEIGHT - 7}
          rx={1.5}
          fill={color}
          opacity={0.55}
        />
      )}
      <line x1={zero} x2={zero} y1={0} y2={HEIGHT} stroke="var(--line-strong)" />
      {whisker && <Whisker from={whisker[0] ?? end} to={whisker[1] ?? end} middle={middle} />}
      {dot && <circle cx={end} cy={middle} r={3.2} fill={color} />}
    </svg>
  );
}

function Whisker({ from, to, middle }: { from: number; to: number; middle: number }) {
  return (
    <g stroke="var(--ink)" strokeWidth={1.4}>
      <line x1={from} x2={to} y1={middle} y2={middle} />
      <line x1={from} x2={from} y1={middle - 4} y2={middle + 4} />
      <line x1={to} x2={to} y1={middle - 4} y2={middle + 4} />
    </g>
  );
}
