// SPDX-License-Identifier: Apache-2.0
import { useComputedColorScheme } from "@mantine/core";
import type { CSSProperties } from "react";
import { stageInk } from "../logic/charts/palette";

interface Props {
  stages: readonly string[];
  shown: readonly string[];
  /** Without colours: on the charts they tell something else apart. */
  plain?: boolean;
  onToggle: (stage: string) => void;
  /** Shows this one alone, or all again. */
  onSolo?: ((stage: string) => void) | undefined;
  label?: string;
  /** Stages without a value, which cannot be shown. */
  absent?: readonly string[];
}

const NONE: readonly string[] = [];

/** Stages in their colours; pressing one takes it off the charts or brings it back. */
export function StageLegend({
  stages,
  shown,
  plain = false,
  onToggle,
  onSolo,
  label = "Stages shown",
  absent = NONE,
}: Props) {
  const dark = useComputedColorScheme("light") === "dark";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a frame and a legend of its own
    <div className="chips" role="group" aria-label={label}>
      {stages.map((stage) => {
        const ink = stageInk(stage, stages, dark);
        return (
          <button
            key={stage}
            type="button"
            className="chip"
            aria-pressed={shown.includes(stage) && !absent.includes(stage)}
            disabled={absent.includes(stage)}
            title={
              absent.includes(stage)
                ? "No value in this history"
                : onSolo && "Double click: this one alone, or all again"
            }
            onClick={() => onToggle(stage)}
            onDoubleClick={onSolo && (() => onSolo(stage))}
          >
            {!plain && (
              <span
                className={`swatch${ink.dash.length ? " dashed" : ""}`}
                style={{ "--swatch": ink.color } as CSSProperties}
              />
            )}
            {stage}
          </button>
        );
      })}
    </div>
  );
}
