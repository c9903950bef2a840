// SPDX-License-Identifier: Apache-2.0
import type { RatioInterval } from "./ChangeText";

const WIDTH = 150;
const HEIGHT = 14;

interface Props {
  of: RatioInterval;
  /** Verdict whose colour is used. */
  display: string;
  /** |ln ratio| at the edge; what lies beyond is drawn at the edge. */
  reach: number;
}

/** Change in CPP and its interval on a line with no change in the middle. Decoration: the text says the same. */
export function ChangeWhisker({ of, display, reach }: Props) {
  if (of.ratio_cpp == null) return null;
  const at = (value: number): number => {
    const share = Math.min(Math.max(Math.log(value) / reach, -1), 1);
    return WIDTH / 2 + share * (WIDTH / 2 - 5);
  };
  const [low, high] = [at(of.low ?? of.ratio_cpp), at(of.high ?? of.ratio_cpp)];
  const color = display === "broken" ? "var(--invalid)" : `var(--${display}, var(--same))`;
  const middle = HEIGHT / 2;
  return (
    <svg aria-hidden="true" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <line x1={0} x2={WIDTH} y1={middle} y2={middle} stroke="var(--line)" />
      <line x1={WIDTH / 2} x2={WIDTH / 2} y1={1} y2={HEIGHT - 1} stroke="var(--line-strong)" />
      <line x1={low} x2={high} y1={middle} y2={middle} stroke={color} strokeWidth={2} />
      {[low, high].map((end) => (
        <line key={end} x1={end} x2={end} y1={middle - 4} y2={middle + 4} stroke={color} strokeWidth={1.5} />
      ))}
      <circle cx={at(of.ratio_cpp)} cy={middle} r={2.8} fill={color} />
    </svg>
  );
}
