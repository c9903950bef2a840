// SPDX-License-Identifier: Apache-2.0
/** A bench host: its state and why, what it has, how well it is; for administrators, what can be done. */
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { actOnHost, type HostAction } from "../../shared/api/hosts";
import type { BenchHost } from "../../shared/api/types";
import { capabilityWords, share } from "../../shared/logic/hosts";
import { ago, bytes, MISSING, said } from "../../shared/logic/text/format";
import { ActionError } from "../../shared/ui/ActionError";
import { HostState } from "../../shared/ui/HostState";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useSession } from "../../shared/ui/hooks/useSession";
import { HealthLine } from "./HealthLine";

interface Props {
  host: BenchHost;
  now: number;
  /** On its own page, whose heading names it. */
  alone?: boolean;
}

export function HostRow({ host, now, alone = false }: Props) {
  return (
    <li className="host-row">
      <div>
        <HostState state={host.state} />
      </div>
      <div className="row-main">
        {!alone && (
          <strong>
            <Link to="/hosts/$host" params={{ host: host.name }}>
              {host.name}
            </Link>
          </strong>
        )}{" "}
        <span className="tag">pool {host.pool}</span>
        <span className="below">
          {host.last_seen_at ? `seen ${ago(host.last_seen_at, now)}` : "no contact yet"}
          {host.version && `, nalm ${host.version}`} · {capabilityWords(host.capabilities).join(" · ")}
        </span>
      </div>
      <div className="row-main">
        {host.reason && <span className={host.state === "sick" ? "held" : "soft"}>{said(host.reason)}</span>}
        {host.job_id !== null && (
          <Link to="/jobs/$jobId" params={{ jobId: String(host.job_id) }}>
            Works on job {host.job_id}
          </Link>
        )}
        <Health host={host} />
      </div>
      <div>
        <Actions host={host} />
      </div>
    </li>
  );
}

function Health({ host }: { host: BenchHost }) {
  const { health } = host;
  if (health === null) return <span className="below">No health report.</span>;
  const free = health.disk_free_bytes ?? null;
  return (
    <>
      <span className="below">
        detectable change {share(health.resolves)} · CPU steal {share(health.steal)} · disk free{" "}
        {free === null ? MISSING : bytes(free)}
        {!!health.spool_items && ` · ${health.spool_items} results to send`}
      </span>
      <HealthLine host={host.name} />
    </>
  );
}

const OFFERED: Record<BenchHost["state"], HostAction[]> = {
  online: ["drain"],
  sick: ["drain", "revoke"],
  offline: ["drain", "revoke"],
  draining: ["resume", "revoke"],
  revoked: [],
};
const WORDS: Record<HostAction, string> = { drain: "Drain", resume: "Resume", revoke: "Revoke" };

function Actions({ host }: { host: BenchHost }) {
  const administrator = useSession()?.administrator ?? false;
  const act = useAction((action: HostAction) => actOnHost(action, host.name), { renews: ["hosts"] });
  if (!administrator) return null;
  return (
    <>
      <span className="actions">
        {OFFERED[host.state].map((action) => (
          <Button
            key={action}
            size="compact-sm"
            variant="default"
            aria-label={`${WORDS[action]} ${host.name}`}
            loading={act.isPending && act.variables === action}
            onClick={() => act.mutate(action)}
          >
            {WORDS[action]}
          </Button>
        ))}
      </span>
      <ActionError error={act.error} />
    </>
  );
}
