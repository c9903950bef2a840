// SPDX-License-Identifier: Apache-2.0
/** Every kept round of each arm, launch by launch: what the verdict rests on, nothing averaged away. */

import {
  type Arm,
  domain,
  launchColumns,
  median,
  presentArms,
  type RoundsByArm,
  tickDecimals,
  ticks,
} from "../logic/run/rounds";
import { significant } from "../logic/text/format";
import { useWidth } from "./useWidth";

const HEIGHT = 240;
const LEFT = 52;
const BOTTOM = 34;
const TOP = 10;
const TICKS = 8;
/** Of the median, so that equal rounds have an axis. */
const LEAST_SPAN = 0.01;

const ARM_WORDS: Record<Arm, string> = {
  base: "base",
  head_as_base: "head with base's features",
  head: "head",
};

export function RoundsPlot({ rounds }: { rounds: RoundsByArm }) {
  const [element, width] = useWidth<HTMLDivElement>();
  return (
    <div ref={element}>
      {width > 0 && <Plot rounds={rounds} width={width} />}
      <div className="legend">
        {presentArms(rounds).map((arm) => (
          <ArmKey key={arm} arm={arm} cpps={rounds[arm].map((round) => round.cpp)} />
        ))}
        <span className="key">One dot: one round. Lines: medians.</span>
      </div>
    </div>
  );
}

function ArmKey({ arm, cpps }: { arm: Arm; cpps: readonly number[] }) {
  const middle = median(cpps);
  return (
    <span className="key">
      <svg aria-hidden="true" width={12} height={12}>
        <Mark arm={arm} x={6} y={6} size={4.5} />
      </svg>
      {ARM_WORDS[arm]}: {cpps.length} rounds
      {middle !== null && `, median ${significant(middle)}`}
    </span>
  );
}

/** The arms differ in shape, not in colour alone. */
function Mark({ arm, x, y, size = 3.1 }: { arm: Arm; x: number; y: number; size?: number }) {
  const color = `var(--${arm}-dot)`;
  if (arm === "base") return <circle cx={x} cy={y} r={size} fill="none" stroke={color} strokeWidth={1.6} />;
  const square = { x: x - size, y: y - size, width: 2 * size, height: 2 * size };
  if (arm === "head") return <rect {...square} fill={color} opacity={0.85} />;
  return <rect {...square} fill="none" stroke={color} strokeWidth={1.5} transform={`rotate(45 ${x} ${y})`} />;
}

function Plot({ rounds, width }: { rounds: RoundsByArm; width: number }) {
  const columns = launchColumns(rounds);
  const arms = presentArms(rounds);
  const values = columns.flatMap((column) => column.dots.map((dot) => dot.cpp));
  const [low, high] = domain(values, (median(values) ?? 0) * LEAST_SPAN);
  const marks = ticks(low, high, TICKS);
  const decimals = tickDecimals(marks);
  const y = (cpp: number): number => TOP + ((high - cpp) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const step = (width - LEFT) / Math.max(columns.length, 1);
  const label = `Cycles per packet of ${values.length} rounds in ${columns.length} launches`;
  return (
    <svg role="img" aria-label={label} width={width} height={HEIGHT}>
      {marks.map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
          <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
            {tick.toFixed(decimals)}
          </text>
        </g>
      ))}
      {arms.map((arm) => {
        const at = y(median(rounds[arm].map((round) => round.cpp)) ?? low);
        return <MedianLine key={arm} arm={arm} y={at} width={width} />;
      })}
      {columns.map((column, index) => (
        <g key={column.launch} transform={`translate(${LEFT + index * step} 0)`}>
          {index > 0 && <line y1={TOP} y2={HEIGHT - BOTTOM} stroke="var(--line)" />}
          {column.dots.map((dot) => (
            <Mark key={`${dot.arm}${dot.place}`} arm={dot.arm} x={step * dot.place} y={y(dot.cpp)} />
          ))}
          {(step > 26 || index % 2 === 0) && (
            <text x={step / 2} y={HEIGHT - BOTTOM + 15} textAnchor="middle">
              {column.launch}
            </text>
          )}
        </g>
      ))}
      <text x={(LEFT + width) / 2} y={HEIGHT - 4} textAnchor="middle">
        launch
      </text>
    </svg>
  );
}

function MedianLine({ arm, y, width }: { arm: Arm; y: number; width: number }) {
  const dash = arm === "head" ? undefined : arm === "base" ? "5 4" : "2 4";
  return (
    <line
      x1={LEFT}
      x2={width}
      y1={y}
      y2={y}
      stroke={`var(--${arm}-dot)`}
      strokeWidth={1.5}
      strokeDasharray={dash}
    />
  );
}
