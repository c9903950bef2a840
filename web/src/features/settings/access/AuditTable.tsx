// SPDX-License-Identifier: Apache-2.0
import type { AuditEntry } from "../../../shared/api/types";
import { MISSING, moment } from "../../../shared/logic/text/format";
import { ScrollTable } from "../../../shared/ui/lists/ScrollTable";
import { AuditSubject } from "./AuditSubject";

/** Newest first. */
export function AuditTable({ entries, ofServer }: { entries: readonly AuditEntry[]; ofServer: boolean }) {
  if (entries.length === 0) return <p className="soft">Nothing fits.</p>;
  return (
    <ScrollTable label="Entries, newest first">
      <thead>
        <tr>
          <th className="left">When</th>
          <th className="left">Who</th>
          <th className="left">Action</th>
          {ofServer && <th className="left">Project</th>}
          <th className="left">What</th>
          <th className="left">Request</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((one) => (
          <tr key={one.id}>
            <th scope="row" className="left">
              {moment(one.at)}
            </th>
            <td className="left">{one.who}</td>
            <td className="left mono">{one.action}</td>
            {ofServer && <td className="left">{one.project ?? MISSING}</td>}
            <td className="left wrap">
              <AuditSubject of={one} />
              {one.detail && <span className="under">{one.detail}</span>}
            </td>
            <td className="left mono">{one.request_id ?? MISSING}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
