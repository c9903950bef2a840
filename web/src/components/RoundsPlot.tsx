// SPDX-License-Identifier: Apache-2.0
/** Every kept round of both arms, launch by launch: what the verdict rests on, nothing averaged away. */
import { significant } from "../logic/format";
import { median, type RoundValue, strips, ticks } from "../logic/rounds";
import { useWidth } from "./useWidth";

const HEIGHT = 230;
const LEFT = 52;
const BOTTOM = 26;
const TOP = 10;

interface Props {
  base: readonly RoundValue[];
  head: readonly RoundValue[];
}

export function RoundsPlot({ base, head }: Props) {
  const [element, width] = useWidth<HTMLDivElement>();
  const medians = { base: median(base.map((r) => r.cpp)), head: median(head.map((r) => r.cpp)) };
  return (
    <div ref={element}>
      {width > 0 && <Plot base={base} head={head} width={width} medians={medians} />}
      <div className="legend">
        <ArmKey arm="base" rounds={base.length} median={medians.base} />
        <ArmKey arm="head" rounds={head.length} median={medians.head} />
        <span className="key">One dot: one round. Columns: launches. Lines: medians.</span>
      </div>
    </div>
  );
}

type Arm = "base" | "head";

function ArmKey({ arm, rounds, median }: { arm: Arm; rounds: number; median: number | null }) {
  return (
    <span className="key">
      <svg aria-hidden="true" width={12} height={12}>
        <Dot arm={arm} x={6} y={6} size={4.5} />
      </svg>
      {arm}: {rounds} rounds{median === null ? "" : `, median ${significant(median)} cycles/packet`}
    </span>
  );
}

/** Base is a circle, head a square: the arms differ in shape, not in colour alone. */
function Dot({ arm, x, y, size = 3.1 }: { arm: Arm; x: number; y: number; size?: number }) {
  return arm === "base" ? (
    <circle cx={x} cy={y} r={size} fill="none" stroke="var(--base-dot)" strokeWidth={1.6} />
  ) : (
    <rect
      x={x - size}
      y={y - size}
      width={2 * size}
      height={2 * size}
      fill="var(--head-dot)"
      opacity={0.85}
    />
  );
}

interface PlotProps extends Props {
  width: number;
  medians: Record<Arm, number | null>;
}

function Plot({ base, head, width, medians }: PlotProps) {
  const columns = strips(base, head);
  const values = [...base, ...head].map((round) => round.cpp);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = (most - least || most * 0.01) * 0.08;
  const [low, high] = [least - room, most + room];
  const y = (cpp: number): number => TOP + ((high - cpp) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const step = (width - LEFT) / Math.max(columns.length, 1);
  const label = `Cycles per packet of ${base.length} rounds of base and ${head.length} of head in ${columns.length} launches`;
  return (
    <svg role="img" aria-label={label} width={width} height={HEIGHT}>
      {ticks(low, high, 5).map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
          <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
            {significant(tick)}
          </text>
        </g>
      ))}
      {(["base", "head"] as const).map((arm) => {
        const value = medians[arm];
        return value === null ? null : (
          <line
            key={arm}
            x1={LEFT}
            x2={width}
            y1={y(value)}
            y2={y(value)}
            stroke={`var(--${arm}-dot)`}
            strokeWidth={1.5}
            strokeDasharray={arm === "base" ? "5 4" : undefined}
          />
        );
      })}
      {columns.map((column, index) => {
        const left = LEFT + index * step;
        return (
          <g key={column.launch}>
            {index > 0 && <line x1={left} x2={left} y1={TOP} y2={HEIGHT - BOTTOM} stroke="var(--line)" />}
            {(["base", "head"] as const).flatMap((arm) =>
              column[arm].map((cpp, turn) => (
                <Dot
                  // biome-ignore lint/suspicious/noArrayIndexKey: the turn is the round's name
                  key={`${arm}${turn}`}
                  arm={arm}
                  x={left + step * spread(arm, turn, column[arm].length)}
                  y={y(cpp)}
                />
              )),
            )}
            <text x={left + step / 2} y={HEIGHT - 8} textAnchor="middle">
              {step > 24 || index % 2 === 0 ? column.launch : ""}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** Place within a launch's column, 0 to 1: base in the left half, head in the right, turns in order. */
function spread(arm: Arm, turn: number, turns: number): number {
  const within = (turn + 0.5) / Math.max(turns, 1);
  return (arm === "base" ? 0.08 : 0.52) + within * 0.4;
}
