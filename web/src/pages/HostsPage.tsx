// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { hostsQuery } from "../api/hosts";
import { HostRow } from "../components/HostRow";
import { InviteAgent } from "../components/InviteAgent";
import { PageHead } from "../components/PageHead";
import { CenterState, Failed, Loading } from "../components/States";
import { useNow } from "../components/useNow";
import { useSession } from "../components/useSession";
import { useTitle } from "../components/useTitle";

export function HostsPage() {
  useTitle("Hosts");
  const { data: hosts, error, refetch } = useQuery(hostsQuery());
  const now = useNow();
  return (
    <>
      <PageHead title="Hosts" under="Where network functions are built and measured." />
      {hosts === undefined && (error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={3} />)}
      {hosts?.length === 0 && <NoHost />}
      {hosts !== undefined && hosts.length > 0 && (
        <div className="panel panel-body">
          <ul className="rows jobs">
            {hosts.map((host) => (
              <HostRow key={host.name} host={host} now={now} />
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function NoHost() {
  const administrator = useSession()?.administrator ?? false;
  return (
    <CenterState icon="clock" title="No host yet">
      <p>A host appears once its agent has asked for work.</p>
      {administrator ? (
        <InviteAgent />
      ) : (
        <p>An administrator invites the agent; the invitation comes with the commands for the host.</p>
      )}
    </CenterState>
  );
}
