// SPDX-License-Identifier: Apache-2.0
import type { Quality } from "../../shared/api/types";
import { minutesText } from "../../shared/logic/run/rates";
import { delayFile } from "../../shared/logic/text/figureFiles";
import { plain } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";

type Spread = NonNullable<Quality["delay"]["commits"]>;

/** From a culprit to its confirmed alert. */
export function DelayPanel({ project, of }: { project: string; of: Quality["delay"] }) {
  const rows: [string, Spread, (value: number) => string][] = [];
  if (of.commits) rows.push(["commits measured meanwhile", of.commits, plain]);
  if (of.minutes) rows.push(["time since it could be measured", of.minutes, minutesText]);
  return (
    <SavedPanel
      title="Delay"
      aside={<span className="soft">from a culprit to its confirmed alert</span>}
      name={`${project}-delay`}
      what="delays"
      rows={rows.length > 0 ? () => delayFile(of) : undefined}
    >
      {rows.length > 0 ? (
        <p className="said">{of.sentence}</p>
      ) : (
        <p className="soft">No finding was confirmed yet.</p>
      )}
      {rows.length > 0 && (
        <ScrollTable label="Delays">
          <thead>
            <tr>
              <th className="left">Counted in</th>
              <th>Alerts</th>
              <th>Median</th>
              <th>90th percentile</th>
              <th>Longest</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, spread, text]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{spread.count}</td>
                <td>{text(spread.median)}</td>
                <td>{text(spread.far)}</td>
                <td>{text(spread.longest)}</td>
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
    </SavedPanel>
  );
}
