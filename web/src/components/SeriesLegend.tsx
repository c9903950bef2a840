// SPDX-License-Identifier: Apache-2.0
import { useComputedColorScheme } from "@mantine/core";
import type { CSSProperties } from "react";
import { stageInk } from "../logic/palette";

/** Which colour and dash is which series. */
export function SeriesLegend({ series }: { series: readonly string[] }) {
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <div className="legend">
      {series.map((name) => {
        const ink = stageInk(name, series, dark);
        return (
          <span key={name} className="key">
            <span
              className={`swatch${ink.dash.length ? " dashed" : ""}`}
              style={{ "--swatch": ink.color } as CSSProperties}
            />
            {name}
          </span>
        );
      })}
    </div>
  );
}
