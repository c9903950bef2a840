// SPDX-License-Identifier: Apache-2.0
import type { Quality } from "../../shared/api/types";
import { CurvePlot } from "../../shared/charts/CurvePlot";
import { ratesFile } from "../../shared/logic/text/figureFiles";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import {
  type CalibrationLike,
  calibrationDots,
  DIAGONAL,
  groupText,
  OBSERVED,
  PREDICTED,
} from "./calibration";
import { RateTable } from "./RateTable";

/** What the probabilities of change points are worth: the share that is still there after more commits. */
export function CalibrationPanel({ project, of }: { project: string; of: Quality["calibration"] }) {
  const rows = of.map((one) => ({ ...groupText(one), of: one }));
  const saved = rows.map((one) => ({ ...one, name: `${one.name}, ${one.under}` }));
  return (
    <SavedPanel
      title="Probabilities of change points"
      aside={<span className="soft">share that still holds</span>}
      name={`${project}-calibration`}
      what="shares of change points that hold"
      rows={rows.length > 0 ? () => ratesFile([{ group: "change points", rates: saved }]) : undefined}
      pictured
    >
      {rows.length > 0 ? (
        <>
          <CalibrationPlot of={of} />
          <RateTable label="Change points that hold, by probability" first="Probability" rows={rows} />
        </>
      ) : (
        <p className="soft">No change point was found in this time.</p>
      )}
    </SavedPanel>
  );
}

function CalibrationPlot({ of }: { of: readonly CalibrationLike[] }) {
  const dots = calibrationDots(of);
  return (
    <CurvePlot
      label="Share of change points that still holds over the probability at which they were found"
      x={PREDICTED}
      y={OBSERVED}
      curves={[
        { name: "as predicted", color: "var(--ink-soft)", dash: "5 4", points: DIAGONAL },
        { name: "share that still holds", color: "var(--head-dot)", points: dots.points },
      ]}
      dots={{ name: "its bounds, and the number of change points", ...dots }}
    />
  );
}
