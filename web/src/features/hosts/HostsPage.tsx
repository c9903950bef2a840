// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { hostsQuery } from "../../shared/api/hosts";
import { useNow } from "../../shared/ui/hooks/useNow";
import { useSession } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { InviteAgent } from "../../shared/ui/InviteAgent";
import { PageHead } from "../../shared/ui/PageHead";
import { CenterState, Failed, Loading } from "../../shared/ui/States";
import { HostFactors } from "./HostFactors";
import { HostRow } from "./HostRow";

export function HostsPage() {
  useTitle("Hosts");
  const { data: hosts, error, refetch } = useQuery(hostsQuery());
  const now = useNow();
  return (
    <>
      <PageHead title="Hosts" under="The machines that build and measure network functions." />
      {hosts === undefined && (error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={3} />)}
      {hosts?.length === 0 && <NoHost />}
      {hosts !== undefined && hosts.length > 0 && (
        <div className="panel panel-body">
          <ul className="rows">
            {hosts.map((host) => (
              <HostRow key={host.name} host={host} now={now} />
            ))}
          </ul>
        </div>
      )}
      {hosts !== undefined && hosts.length > 0 && <HostFactors />}
    </>
  );
}

function NoHost() {
  const administrator = useSession()?.administrator ?? false;
  return (
    <CenterState icon="clock" title="No host yet">
      <p>A host appears when its agent requests work for the first time.</p>
      {administrator ? (
        <InviteAgent />
      ) : (
        <p>An administrator invites the agent; the invitation comes with the commands for the host.</p>
      )}
    </CenterState>
  );
}
