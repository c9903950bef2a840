// SPDX-License-Identifier: Apache-2.0

import { LineKey, MARK_DASH } from "./curveShapes";
import type { PlotProps } from "./curves";

/** What each line, band, dot and bar of a plot is. */
export function CurveLegend({ curves = [], band, dots, bars, marks = [] }: PlotProps) {
  return (
    <div className="legend">
      {curves.map(({ name, color, dash, marker }) => (
        <span className="key" key={name}>
          <LineKey color={color} dash={dash} marker={marker} />
          {name}
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
          <svg aria-hidden="true" width={12} height={12} style={{ flex: "none" }}>
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
      {marks.map(({ name, color = "var(--ink-soft)", dash = MARK_DASH }) => (
        <span className="key" key={name}>
          <LineKey color={color} dash={dash} />
          {name}
        </span>
      ))}
    </div>
  );
}
