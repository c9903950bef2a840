// SPDX-License-Identifier: Apache-2.0
/** Two commits by all comparisons that lead from one to the other, whether or not they ran side by side. */
import type { Comparison } from "../../shared/api/types";
import { changeWithInterval } from "../../shared/logic/text/format";
import { ratio } from "../../shared/logic/text/units";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { Panel } from "../../shared/ui/Panel";

export function LinkedPanel({ changes }: { changes: Comparison["linked"] }) {
  if (changes.length === 0) return null;
  return (
    <Panel
      title="Change by all comparisons"
      aside={
        <span className="panel-aside soft">
          {`Cycles per packet as shipped, with ${100 * (changes[0]?.level ?? 0)} % intervals. Drift and changes of hosts cancel.`}
        </span>
      }
    >
      <ScrollTable label="Stages by all comparisons">
        <thead>
          <tr>
            <th className="left">Stage</th>
            <th>Change</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((one) => (
            <tr key={one.stage}>
              <th scope="row">{one.stage}</th>
              <td>{changeWithInterval(ratio(one.ratio), ratio(one.low), ratio(one.high))}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </Panel>
  );
}
