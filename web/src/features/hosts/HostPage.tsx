// SPDX-License-Identifier: Apache-2.0
/** One bench host: how it is, how much it scatters, what it can see, what it does, and what it was. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { hostQuery } from "../../shared/api/hosts";
import { day } from "../../shared/logic/text/format";
import { useNow } from "../../shared/ui/hooks/useNow";
import { useSession } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { Failed, Loading } from "../../shared/ui/States";
import { FingerprintList } from "./FingerprintList";
import { HostHealth } from "./HostHealth";
import { HostJobs } from "./HostJobs";
import { HostMeasured } from "./HostMeasured";
import { HostNoise } from "./HostNoise";
import { HostPoolForm } from "./HostPoolForm";
import { HostRow } from "./HostRow";

const route = getRouteApi("/hosts/$host");

export function HostPage() {
  const { host: name } = route.useParams();
  const { shown } = route.useSearch();
  const navigate = route.useNavigate();
  useTitle(name, "Hosts");
  const { data: host, error, refetch } = useQuery(hostQuery(name));
  const administrator = useSession()?.administrator ?? false;
  const now = useNow();
  return (
    <>
      <PageHead
        title={name}
        up={<Link to="/hosts">Hosts</Link>}
        under={host && `${host.host_class}, first seen ${day(host.first_seen_at)}`}
      />
      {host === undefined && (error ? <Failed error={error} onRetry={refetch} /> : <Loading />)}
      {host && (
        <>
          <div className="panel panel-body">
            <ul className="rows">
              <HostRow host={host} now={now} alone />
            </ul>
            {administrator && <HostPoolForm host={host} />}
          </div>
          <Panel title="Health in the last day">
            <HostHealth host={name} />
          </Panel>
          <HostJobs host={name} />
          <HostNoise
            host={name}
            shown={shown}
            onShown={(shown) => navigate({ search: { shown }, replace: true })}
          />
          <HostMeasured host={name} measured={host.measured} />
          <Panel title="Fingerprint history">
            <FingerprintList fingerprints={host.fingerprints} />
          </Panel>
        </>
      )}
    </>
  );
}
