// SPDX-License-Identifier: Apache-2.0
import type { Verdict } from "../../shared/api/types";
import { MISSING, significant } from "../../shared/logic/text/format";
import { whereRows } from "./changeSites";

export function ChangeSiteTable({ verdict }: { verdict: Verdict }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroll-x" tabIndex={0} aria-label="Table of what changed">
      <table className="table">
        <thead>
          <tr>
            <th className="left">Stage</th>
            <th className="left">Function</th>
            <th className="left">What, per packet</th>
            <th>Base</th>
            <th>Head</th>
          </tr>
        </thead>
        <tbody>
          {whereRows(verdict).map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.stage}</th>
              <td className="left wrap mono">{row.where}</td>
              <td className="left">{row.what}</td>
              <td>{row.base === null ? MISSING : significant(row.base)}</td>
              <td>{row.head === null ? MISSING : significant(row.head)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
