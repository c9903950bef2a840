// SPDX-License-Identifier: Apache-2.0
/** What became of packets in head that became of them otherwise in base; nothing where they end alike. */
import type { Verdict } from "../../api/types";
import { outcomeRows } from "../../logic/run/outcomes";
import { Panel } from "../Panel";

export function OutcomePanel({ verdict }: { verdict: Verdict | null }) {
  const rows = outcomeRows(verdict?.outcome_changes ?? []);
  if (rows.length === 0) return null;
  return (
    <Panel title="Packets with a different outcome">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll-x" tabIndex={0} aria-label="Outcomes of packets that changed">
        <table className="table">
          <thead>
            <tr>
              <th className="left">Stage</th>
              <th className="left">Outcome</th>
              <th>Base</th>
              <th>Head</th>
              <th className="left">Arm</th>
              <th className="left">Meaning</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row">{row.stage}</th>
                <td className="left mono">{row.outcome}</td>
                <td>{row.base}</td>
                <td>{row.head}</td>
                <td className="left">{row.arm}</td>
                <td className="left">{row.meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Panel>
  );
}
