// SPDX-License-Identifier: Apache-2.0
/** Cost of scenarios beside their no drop rates, and how closely one follows the other. */
import { Link } from "@tanstack/react-router";
import type { CostAndRate, Models } from "../../shared/api/types";
import { fileName } from "../../shared/logic/text/csv";
import { costsFile } from "../../shared/logic/text/figureFiles";
import { columnUnit, figure, inColumn, signed } from "../../shared/logic/text/format";
import { MetricName } from "../../shared/ui/Help";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";

interface Props {
  project: string;
  commit: Models["commit"];
  of: CostAndRate;
}

export function RatesPanel({ project, commit, of }: Props) {
  const perLcore = of.scenarios.map(({ ndr_pps, lcores }) => ndr_pps / lcores);
  const unit = columnUnit(perLcore, "packets/s");
  return (
    <SavedPanel
      title="Cost and no drop rate"
      name={fileName(project, "cost-and-rate", commit.short_sha)}
      what="costs and rates"
      rows={() => costsFile(of)}
      aside={<span className="soft">on {of.host_class}; not measured side by side</span>}
      pictured
    >
      <p>{correlationText(of)}</p>
      <ScrollTable label={`Cost and no drop rate of scenarios on ${of.host_class}`}>
        <thead>
          <tr>
            <th className="left">Scenario</th>
            <th>lcores</th>
            <th>
              <MetricName name="cpp" />, cycles/packet
            </th>
            <th>
              <MetricName name="ndr_pps" /> per lcore, {unit.unit}
            </th>
          </tr>
        </thead>
        <tbody>
          {of.scenarios.map((one, index) => (
            <tr key={one.scenario}>
              <th scope="row" className="left">
                {one.scenario}
              </th>
              <td>{one.lcores}</td>
              <td>
                <Link to="/p/$project/runs/$runId" params={{ project, runId: one.run_id }}>
                  {figure(one.cpp)}
                </Link>
              </td>
              <td>
                <Link to="/p/$project/runs/$runId" params={{ project, runId: one.rate_run_id }}>
                  {inColumn(perLcore[index], unit)}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </SavedPanel>
  );
}

/** What the rank correlation says, or why there is none. */
export function correlationText({ rank_correlation, scenarios }: CostAndRate): string {
  if (rank_correlation === null) {
    return "A rank correlation needs four scenarios whose costs and rates differ.";
  }
  const meaning =
    rank_correlation === -1
      ? "each scenario that takes more cycles has a lower rate."
      : "at \u22121, each scenario that takes more cycles would have a lower rate.";
  return `Rank correlation (Spearman) of ${scenarios.length} scenarios: ${signed(rank_correlation, 2)}; ${meaning}`;
}
