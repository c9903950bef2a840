// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { hostsQuery } from "../../shared/api/hosts";
import type { BenchHost } from "../../shared/api/types";
import { share } from "../../shared/logic/hosts";
import { byNeed } from "../../shared/logic/overview";
import { ago, said } from "../../shared/logic/text/format";
import { HostState } from "../../shared/ui/HostState";
import { useNow } from "../../shared/ui/hooks/useNow";
import { QueryPanel } from "./QueryPanel";

const SHOWN = 5;

/** Bench hosts, those first that somebody should look at. */
export function HostsPanel() {
  const now = useNow();
  return (
    <QueryPanel title="Hosts" aside={<Link to="/hosts">All hosts</Link>} query={useQuery(hostsQuery())}>
      {(hosts) => (
        <div className="panel-body">
          {hosts.length === 0 && <p className="soft">No host has requested work yet.</p>}
          <ul className="rows">
            {byNeed(hosts)
              .slice(0, SHOWN)
              .map((host) => (
                <Row key={host.name} host={host} now={now} />
              ))}
          </ul>
          {hosts.length > SHOWN && <p className="soft">{hosts.length - SHOWN} more.</p>}
        </div>
      )}
    </QueryPanel>
  );
}

function Row({ host, now }: { host: BenchHost; now: number }) {
  return (
    <li className="row">
      <span className="overview-state">
        <HostState state={host.state} />
      </span>
      <span className="row-main">
        <Link to="/hosts/$host" params={{ host: host.name }}>
          {host.name}
        </Link>
        <span className="below">{host.reason === null ? reported(host, now) : said(host.reason)}</span>
      </span>
    </li>
  );
}

/** What it is at, and what it can see. */
function reported(host: BenchHost, now: number): string {
  const work = host.job_id === null ? "idle" : `works on job ${host.job_id}`;
  const seen = host.last_seen_at ? `, seen ${ago(host.last_seen_at, now)}` : "";
  const sees = host.health?.resolves == null ? "" : `, detectable change ${share(host.health.resolves)}`;
  return `${work}${sees}${seen}`;
}
