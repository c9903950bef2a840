// SPDX-License-Identifier: Apache-2.0
import { useComputedColorScheme } from "@mantine/core";
import type { CSSProperties } from "react";
import { stageInk } from "../logic/charts/palette";

interface Props {
  series: readonly string[];
  /** All that colours were given out to, where those are more. */
  of?: readonly string[];
}

/** Which colour and dash is which series. */
export function SeriesLegend({ series, of = series }: Props) {
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <div className="legend">
      {series.map((name) => {
        const ink = stageInk(name, of, dark);
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
