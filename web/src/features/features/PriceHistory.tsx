// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { priceHistoryQuery } from "../../shared/api/features";
import type { PriceHistoryLine } from "../../shared/api/types";
import { IntervalBar } from "../../shared/charts/IntervalBar";
import { axisOf } from "../../shared/logic/charts/axis";
import { fileName } from "../../shared/logic/text/csv";
import { priceHistoryFile } from "../../shared/logic/text/figureFiles";
import { columnUnit, MISSING, signed, signedInColumn } from "../../shared/logic/text/format";
import { CommitLink } from "../../shared/ui/links/CommitLink";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { Panel } from "../../shared/ui/Panel";
import { Loading } from "../../shared/ui/States";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { lineKey, SOURCE_SAYS } from "./prices";

/** A feature's price, commit by commit, newest first; each source in a table of its own. */
export function PriceHistory({ project, feature }: { project: string; feature: string }) {
  const { data, error } = useQuery(priceHistoryQuery(project, feature));
  if (data === undefined)
    return error ? (
      <Panel title={`History of ${feature}`}>
        <p role="alert">{error.message}</p>
      </Panel>
    ) : (
      <Loading rows={4} />
    );
  return (
    <SavedPanel
      title={`History of ${feature}`}
      aside={<span className="soft">cycles/packet, by commit</span>}
      name={fileName(project, "price", feature)}
      what={`the price of ${feature}`}
      rows={() => priceHistoryFile(data.lines)}
      pictured
    >
      {data.lines.map((line) => (
        <Line key={lineKey(line)} project={project} line={line} />
      ))}
    </SavedPanel>
  );
}

function Line({ project, line }: { project: string; line: PriceHistoryLine }) {
  const title = `${SOURCE_SAYS[line.source].word}, ${line.scenario}, ${line.host_class}`;
  const axis = axisOf(
    line.points.map(({ cycles, low, high }) => ({ value: cycles, low, high })),
    0,
    1,
  );
  const rate = columnUnit(
    line.points.map((point) => point.pps),
    "packets/s",
  );
  return (
    <>
      <h3 className="part-head">Measured by {title}</h3>
      <ScrollTable label={`Price of ${line.feature} by ${title}`}>
        <thead>
          <tr>
            <th className="left">Commit</th>
            <th>cycles/packet</th>
            <th className="left">from 0</th>
            <th>Effect on rate, {rate.unit}</th>
            <th className="left">Paid by</th>
          </tr>
        </thead>
        <tbody>
          {[...line.points].reverse().map((point) => (
            <tr key={`${point.commit.sha}${point.run_id}`}>
              <th scope="row">
                <CommitLink project={project} commit={point.commit} />
              </th>
              <td>
                {signed(point.cycles, 1)}
                {point.low !== null && point.high !== null && (
                  <span className="under">
                    {signed(point.low, 1)} to {signed(point.high, 1)}
                  </span>
                )}
              </td>
              <td className="left">
                <IntervalBar
                  of={{ value: point.cycles, low: point.low, high: point.high }}
                  axis={axis}
                  color="var(--part-whole)"
                />
              </td>
              <td>{signedInColumn(point.pps, rate)}</td>
              <td className="left">{paidBy(point.stages)}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </>
  );
}

const paidBy = (stages: { [stage: string]: number }): string =>
  Object.entries(stages)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(([stage, cycles]) => `${stage} ${signed(cycles, 1)}`)
    .join(", ") || MISSING;
