// SPDX-License-Identifier: Apache-2.0
/** Every scenario of the commit: the bound of its host's resources beside the measured rate. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { boundsQuery } from "../../shared/api/predictions";
import type { Bounds, ScenarioBound } from "../../shared/api/types";
import { IntervalBar } from "../../shared/charts/IntervalBar";
import { axisOf } from "../../shared/logic/charts/axis";
import { fileName, table } from "../../shared/logic/text/csv";
import { columnUnit, inColumn, said, THIN } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { Answered } from "./Answered";

const leastOf = ({ bottleneck, bounds_pps }: ScenarioBound): number | null =>
  bottleneck === null ? null : (bounds_pps[bottleneck] ?? null);

export function BoundsPanel({ project }: { project: string }) {
  const query = useQuery(boundsQuery(project));
  const { data } = query;
  return (
    <SavedPanel
      title="Bound and measured rate of every scenario"
      name={fileName(project, "bounds", data?.commit.short_sha ?? "")}
      what="bounds"
      aside={<span className="soft">how near each scenario is to what its host allows</span>}
      rows={
        data &&
        (() =>
          table(data.scenarios, {
            scenario: (one) => one.scenario,
            host_class: (one) => one.host_class,
            lcores: (one) => one.lcores,
            "bound [packets/s]": leastOf,
            bottleneck: (one) => one.bottleneck,
            "measured [packets/s]": (one) => one.measured_pps,
            "share [ratio]": (one) => one.share,
            missing: (one) => one.missing,
          }))
      }
      pictured
    >
      <Answered query={query}>{(answer) => <Rows project={project} answer={answer} />}</Answered>
    </SavedPanel>
  );
}

function Rows({ project, answer }: { project: string; answer: Bounds }) {
  const rates = answer.scenarios.flatMap((one) => [leastOf(one) ?? 0, one.measured_pps ?? 0]);
  const unit = columnUnit(rates, "packets/s");
  const axis = axisOf([{ value: 1 }], 0, 1);
  return (
    <ScrollTable label="Bounds of scenarios">
      <thead>
        <tr>
          <th className="left">Scenario</th>
          <th>lcores</th>
          <th>at most, {unit.unit}</th>
          <th className="left">bound by</th>
          <th>measured, {unit.unit}</th>
          <th className="left">measured of the bound</th>
        </tr>
      </thead>
      <tbody>
        {answer.scenarios.map((one) => (
          <tr key={one.run_id}>
            <th scope="row" className="left">
              <Link to="/p/$project/runs/$runId" params={{ project, runId: one.run_id }}>
                {one.scenario}
              </Link>{" "}
              <span className="soft">{one.host_class}</span>
            </th>
            <td>{one.lcores}</td>
            {one.bottleneck === null ? (
              <td className="left held wrap" colSpan={2}>
                No bound: {said(one.missing ?? "")}
              </td>
            ) : (
              <>
                <td>{inColumn(leastOf(one) ?? 0, unit)}</td>
                <td className="left">{one.bottleneck}</td>
              </>
            )}
            <td>{one.measured_pps === null ? "not measured" : inColumn(one.measured_pps, unit)}</td>
            <td className="left">
              {one.share !== null && (
                <>
                  <IntervalBar of={{ value: one.share }} axis={axis} /> {(100 * one.share).toFixed(0)}
                  {THIN}%
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
