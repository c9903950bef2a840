// SPDX-License-Identifier: Apache-2.0
import { sparkline } from "../logic/hosts";

/** Figures over time as a small line; nothing where there are fewer than two. */
export function Sparkline({
  values,
  leastSpan,
  label,
}: {
  values: readonly (number | null)[];
  /** Values that differ less do not fill its height. */
  leastSpan?: number;
  /** Says what the line shows, with its lowest and highest value. */
  label: (low: number, high: number) => string;
}) {
  const line = sparkline(values, leastSpan);
  if (line === null) return null;
  const text = label(line.low, line.high);
  return (
    <svg className="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      {line.pieces.map((points) => (
        <polyline key={points} points={points} />
      ))}
    </svg>
  );
}
