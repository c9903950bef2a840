// SPDX-License-Identifier: Apache-2.0

import { type BarSegment, barSegments, type Split } from "../logic/run/split";
import { signed } from "../logic/text/format";

const WIDTH = 220;
const HEIGHT = 22;

export const PART_WORDS: Record<BarSegment["part"], string> = {
  instructions: "Instructions",
  pipeline: "Pipeline use",
  whole: "Stage added or removed",
  unsplit: "Not split: instructions missing",
};

/** Where a stage's change in cycles comes from: right of the middle costs, left saves; the tick is the sum. */
export function SplitBar({ split, reach }: { split: Split | null; reach: number }) {
  if (split === null) return null;
  const at = (cycles: number): number => WIDTH / 2 + (cycles / reach) * (WIDTH / 2 - 4);
  const segments = barSegments(split);
  const label = segments
    .map(({ part, from, to }) => `${PART_WORDS[part]} ${signed(from + to >= 0 ? to - from : from - to, 2)}`)
    .join(", ");
  return (
    <svg role="img" aria-label={`${label} cycles per packet`} width={WIDTH} height={HEIGHT}>
      <line x1={WIDTH / 2} x2={WIDTH / 2} y1={0} y2={HEIGHT} stroke="var(--line-strong)" />
      {segments.map(({ part, from, to }) => (
        <rect
          key={part}
          x={at(from)}
          y={5}
          width={Math.max(at(to) - at(from), 0.75)}
          height={HEIGHT - 10}
          rx={1.5}
          fill={`var(--part-${part})`}
        />
      ))}
      <line
        x1={at(split.total)}
        x2={at(split.total)}
        y1={2}
        y2={HEIGHT - 2}
        stroke="var(--ink)"
        strokeWidth={1.6}
      />
    </svg>
  );
}

/** Legend of the parts that occur. */
export function SplitLegend({ splits }: { splits: readonly (Split | null)[] }) {
  const parts = new Set(splits.flatMap((split) => (split ? barSegments(split).map((s) => s.part) : [])));
  return (
    <div className="legend">
      {[...parts].map((part) => (
        <span key={part} className="key">
          <span className="key-box" style={{ background: `var(--part-${part})` }} />
          {PART_WORDS[part]}
        </span>
      ))}
      <span className="key">
        <span style={{ width: 2, height: 12, background: "var(--ink)" }} />
        Sum
      </span>
    </div>
  );
}
