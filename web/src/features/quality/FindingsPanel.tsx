// SPDX-License-Identifier: Apache-2.0
import type { Quality } from "../../shared/api/types";
import { hasTrials } from "../../shared/logic/run/rates";
import { ratesFile } from "../../shared/logic/text/figureFiles";
import { Help } from "../../shared/ui/Help";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { RateTable } from "./RateTable";

/** What people and measurements made of the findings, and how many of them are false by the trials. */
export function FindingsPanel({ project, of }: { project: string; of: Quality }) {
  const { accepted, confirmed, dismissed, fix_measured } = of.findings;
  const rows = [
    { name: "accepted by people, of those people decided", of: accepted },
    { name: "seen again, of those measured again", of: confirmed },
    { name: "not seen again, of those measured again", of: dismissed },
    { name: "fix measured, of those not dismissed", of: fix_measured },
  ].filter((row) => hasTrials(row.of));
  return (
    <SavedPanel
      title="Findings"
      aside={<span className="soft">what became of them</span>}
      name={`${project}-findings`}
      what="shares of findings"
      rows={rows.length > 0 ? () => ratesFile([{ group: "findings", rates: rows }]) : undefined}
    >
      {rows.length > 0 ? (
        <RateTable label="Shares of findings" first="Share" rows={rows} />
      ) : (
        <p className="soft">No finding yet that people decided on or that was measured again.</p>
      )}
      <FalseDiscoveries of={of.false_discoveries} />
    </SavedPanel>
  );
}

function FalseDiscoveries({ of }: { of: Quality["false_discoveries"] }) {
  return (
    <>
      <h3 className="part-head">
        <Help text="The false-alarm rate times the number of judged runs, divided by the runs reported as changed. It is an upper bound: it assumes that nothing else changed.">
          False discoveries
        </Help>
      </h3>
      <p className="said">{of.sentence}</p>
    </>
  );
}
