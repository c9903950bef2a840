// SPDX-License-Identifier: Apache-2.0
/** Rectangles side by side: as wide as a technique reaches, as high as it contributes (Wu et al., Fig. 13). */
import { ticks } from "../logic/run/rounds";
import { plain } from "../logic/text/format";
import { useWidth } from "./useWidth";

export interface Technique {
  name: string;
  /** Share of the chains that it makes faster. */
  reach: number;
  /** Speedup in those chains. */
  contribution: number;
}

const HEIGHT = 240;
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 12, 12, 26];
const [GAP, TICKS] = [8, 5];
/** So that a technique without reach has a place, too. */
const LEAST_WIDTH = 3;

export function ContributionPlot({ techniques }: { techniques: readonly Technique[] }) {
  const [element, width] = useWidth<HTMLDivElement>();
  return (
    <div>
      <div ref={element} style={{ minHeight: HEIGHT }}>
        {width > LEFT + RIGHT && <Plot techniques={techniques} width={width} />}
      </div>
      <div className="legend">
        {techniques.map(({ name }, index) => (
          <span className="key" key={name}>
            {index + 1}: {name}
          </span>
        ))}
        <span className="key">
          Width: share of its chains that become faster; the line below is all. Height: CPP off / CPP on
          there.
        </span>
      </div>
    </div>
  );
}

function Plot({ techniques, width }: { techniques: readonly Technique[]; width: number }) {
  const bottom = HEIGHT - BOTTOM;
  const most = Math.max(...techniques.map((one) => one.contribution), 1.1);
  const toY = (value: number): number => bottom - ((value - 1) / (most - 1)) * (bottom - TOP);
  const place = (width - LEFT - RIGHT) / Math.max(techniques.length, 1);
  const label = techniques
    .map((one) => `${one.name} ${plain(one.contribution)} in ${Math.round(100 * one.reach)} % of chains`)
    .join(", ");
  return (
    <svg role="img" aria-label={`Contribution and reach: ${label}`} width={width} height={HEIGHT}>
      {ticks(1, most, TICKS).map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width - RIGHT} y1={toY(tick)} y2={toY(tick)} stroke="var(--line)" />
          <text x={LEFT - 8} y={toY(tick) + 4} textAnchor="end">
            {plain(tick)}
          </text>
        </g>
      ))}
      {techniques.map((one, index) => {
        const wide = Math.max(one.reach * (place - GAP), LEAST_WIDTH);
        const left = LEFT + index * place;
        return (
          <g key={one.name}>
            <rect
              x={left}
              y={toY(one.contribution)}
              width={wide}
              height={Math.max(bottom - toY(one.contribution), 1)}
              fill="var(--improved)"
              opacity={0.55}
            />
            <line x1={left} x2={left + place - GAP} y1={bottom} y2={bottom} stroke="var(--ink-soft)" />
            <text x={left + (place - GAP) / 2} y={bottom + 16} textAnchor="middle">
              {index + 1}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
