// SPDX-License-Identifier: Apache-2.0
/** Shapes that a plot of curves and its legend both draw. */
import type { Curve } from "./curves";

/** Of lines that mark a value. */
export const MARK_DASH = "5 4";
const SIZE = 3.2;

interface MarkerProps {
  shape: NonNullable<Curve["marker"]>;
  x: number;
  y: number;
  color: string;
}

/** A measured point: a full circle, or an empty square. */
export function Marker({ shape, x, y, color }: MarkerProps) {
  if (shape === "circle") return <circle cx={x} cy={y} r={SIZE} fill={color} />;
  return (
    <rect
      x={x - SIZE}
      y={y - SIZE}
      width={2 * SIZE}
      height={2 * SIZE}
      fill="var(--panel)"
      stroke={color}
      strokeWidth={1.8}
    />
  );
}

interface LineKeyProps {
  color: string;
  dash: string | undefined;
  marker?: Curve["marker"] | undefined;
}

export function LineKey({ color, dash, marker }: LineKeyProps) {
  return (
    <svg aria-hidden="true" width={22} height={10} style={{ flex: "none" }}>
      <line x1={0} x2={22} y1={5} y2={5} stroke={color} strokeWidth={2} strokeDasharray={dash} />
      {marker && <Marker shape={marker} x={11} y={5} color={color} />}
    </svg>
  );
}
