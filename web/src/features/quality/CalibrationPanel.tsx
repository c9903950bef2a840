// SPDX-License-Identifier: Apache-2.0
import type { Quality } from "../../shared/api/types";
import { percent } from "../../shared/logic/run/rates";
import { ratesFile } from "../../shared/logic/text/figureFiles";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { RateTable } from "./RateTable";

/** What the probabilities of change points are worth: the share that is still there after more commits. */
export function CalibrationPanel({ project, of }: { project: string; of: Quality["calibration"] }) {
  const rows = of.map((one) => ({
    name: `found at ${percent(one.least)} to ${percent(one.most)}, on average ${percent(one.probability)}`,
    of: one,
  }));
  return (
    <SavedPanel
      title="Probabilities of change points"
      aside={<span className="soft">share that still holds</span>}
      name={`${project}-calibration`}
      what="shares of change points that hold"
      rows={rows.length > 0 ? () => ratesFile([{ group: "change points", rates: rows }]) : undefined}
    >
      {rows.length > 0 ? (
        <RateTable label="Change points that hold, by probability" first="Probability" rows={rows} />
      ) : (
        <p className="soft">No change point was found in this time.</p>
      )}
    </SavedPanel>
  );
}
