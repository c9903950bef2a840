// SPDX-License-Identifier: Apache-2.0
/** Metrics beside packets and cycles, each with its outcome; nothing where a run has none. */
import type { Verdict } from "../../api/types";
import type { RunKind } from "../../logic/run/kinds";
import { metricRows } from "../../logic/run/metrics";
import { MetricName } from "../Help";
import { Panel } from "../Panel";

export function MetricPanel({ verdict, kind }: { verdict: Verdict | null; kind: RunKind }) {
  const rows = metricRows(verdict?.metrics ?? []);
  if (rows.length === 0) return null;
  const [title, label] =
    kind === "cycles"
      ? ["Beside packets and cycles", "Metrics beside packets and cycles"]
      : ["Figures under load", "Metrics under load"];
  return (
    <Panel title={title}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll-x" tabIndex={0} aria-label={label}>
        <table className="table">
          <thead>
            <tr>
              <th className="left">Metric</th>
              <th>Base</th>
              <th>Head</th>
              <th>Change</th>
              <th className="left">Outcome</th>
              <th className="left">Note</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row">
                  {row.of} <MetricName name={row.metric} />
                </th>
                <td>{row.base}</td>
                <td>{row.head}</td>
                <td>{row.change}</td>
                <td className="left">{row.fails ? <strong>{row.outcome}</strong> : row.outcome}</td>
                <td className="left wrap">{row.note}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Panel>
  );
}
