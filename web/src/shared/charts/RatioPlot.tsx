// SPDX-License-Identifier: Apache-2.0
/** Head over base: a dot for each round's pair, a bar for each launch, the interval of the verdict behind them. */

import type { LaunchRatio } from "../logic/run/ratios";
import { domain, tickDecimals, ticks } from "../logic/run/rounds";
import { change, signed } from "../logic/text/format";
import { known, ratio } from "../logic/text/units";
import { useWidth } from "./useWidth";

const HEIGHT = 240;
const LEFT = 60;
const BOTTOM = 34;
const TOP = 10;
const TICKS = 7;
/** Of head over base, so that noise of a hair is not blown up. */
const LEAST_SPAN = 0.004;

interface Props {
  launches: readonly LaunchRatio[];
  /** Of the chain's CPP, as judged. */
  of: { ratio_cpp?: number | null; low?: number | null; high?: number | null };
}

export function RatioPlot({ launches, of }: Props) {
  const [element, width] = useWidth<HTMLDivElement>();
  return (
    <div ref={element}>
      {width > 0 && <Plot launches={launches} of={of} width={width} />}
      <div className="legend">
        <span className="key">Dot: a round of head over the round of base beside it.</span>
        <span className="key">Bar: a launch.</span>
        {of.low != null && of.high != null && (
          <span className="key">
            <span className="key-box" style={{ background: "var(--head-dot)", opacity: 0.3 }} />
            Interval of the change
          </span>
        )}
      </div>
    </div>
  );
}

function Plot({ launches, of, width }: Props & { width: number }) {
  const values = launches.flatMap((one) => [one.ratio, ...one.turns]);
  const ends = [...values, 1, of.low ?? 1, of.high ?? 1];
  const [low, high] = domain(ends, LEAST_SPAN);
  const percents = ticks((low - 1) * 100, (high - 1) * 100, TICKS);
  const decimals = tickDecimals(percents);
  const y = (value: number): number => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const step = (width - LEFT) / Math.max(launches.length, 1);
  const each = Math.max(1, Math.ceil(26 / step));
  const said = change(known(of.ratio_cpp, ratio));
  const label = `Head over base of ${values.length - launches.length} pairs of rounds in ${launches.length} launches, together ${said}`;
  return (
    <svg role="img" aria-label={label} width={width} height={HEIGHT}>
      {of.low != null && of.high != null && (
        <rect
          x={LEFT}
          y={y(of.high)}
          width={width - LEFT}
          height={Math.max(y(of.low) - y(of.high), 1)}
          fill="var(--head-dot)"
          opacity={0.18}
        />
      )}
      {percents.map((percent) => (
        <g key={percent}>
          <line
            x1={LEFT}
            x2={width}
            y1={y(1 + percent / 100)}
            y2={y(1 + percent / 100)}
            stroke={Math.abs(percent) < 1e-9 ? "var(--line-strong)" : "var(--line)"}
          />
          <text x={LEFT - 8} y={y(1 + percent / 100) + 4} textAnchor="end">
            {signed(percent, decimals)} %
          </text>
        </g>
      ))}
      {launches.map((one, index) => (
        <Launch
          key={one.launch}
          of={one}
          left={LEFT + index * step}
          step={step}
          y={y}
          named={index % each === 0}
        />
      ))}
      <text x={(LEFT + width) / 2} y={HEIGHT - 4} textAnchor="middle">
        launch
      </text>
    </svg>
  );
}

interface LaunchProps {
  of: LaunchRatio;
  left: number;
  step: number;
  y: (ratio: number) => number;
  named: boolean;
}

function Launch({ of, left, step, y, named }: LaunchProps) {
  return (
    <g transform={`translate(${left} 0)`}>
      {of.turns.map((value, turn) => (
        <circle
          // biome-ignore lint/suspicious/noArrayIndexKey: a turn is its place
          key={turn}
          cx={step * (0.15 + (0.7 * (turn + 0.5)) / of.turns.length)}
          cy={y(value)}
          r={2.4}
          fill="none"
          stroke="var(--base-dot)"
          strokeWidth={1.2}
        />
      ))}
      <line
        x1={step * 0.12}
        x2={step * 0.88}
        y1={y(of.ratio)}
        y2={y(of.ratio)}
        stroke="var(--head-dot)"
        strokeWidth={3}
      />
      {named && (
        <text x={step / 2} y={HEIGHT - BOTTOM + 15} textAnchor="middle">
          {of.launch}
        </text>
      )}
    </g>
  );
}
