// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import type { Pool } from "../../../shared/api/types";
import { MISSING } from "../../../shared/logic/text/format";
import { ScrollTable } from "../../../shared/ui/lists/ScrollTable";

/** Which hosts measure which projects, and how much waits for them. */
export function PoolTable({ pools }: { pools: readonly Pool[] }) {
  return (
    <ScrollTable label="Hosts and projects by pool">
      <thead>
        <tr>
          <th className="left">Pool</th>
          <th className="left">Hosts</th>
          <th className="left">Projects</th>
          <th>Jobs that wait</th>
        </tr>
      </thead>
      <tbody>
        {pools.map((pool) => (
          <tr key={pool.name}>
            <th scope="row" className="left">
              {pool.name}
            </th>
            <td className="left">{hostsText(pool.hosts)}</td>
            <td className="left wrap">
              {pool.projects.length === 0 && MISSING}
              {pool.projects.map((project, index) => (
                <Fragment key={project}>
                  {index > 0 && ", "}
                  <Link to="/p/$project/settings" params={{ project }}>
                    {project}
                  </Link>
                </Fragment>
              ))}
            </td>
            <td className="number">{pool.queued}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function hostsText(hosts: Record<string, number>): string {
  const parts = Object.entries(hosts).map(([state, count]) => `${count} ${state}`);
  return parts.length > 0 ? parts.join(", ") : "none";
}
