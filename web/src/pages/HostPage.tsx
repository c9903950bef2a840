// SPDX-License-Identifier: Apache-2.0
/** One bench host: how it is, how much it scatters, what it can see, what it does, and what it was. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { hostQuery, noiseQuery } from "../api/hosts";
import { FingerprintList } from "../components/FingerprintList";
import { HostHealth } from "../components/HostHealth";
import { HostNoiseChart } from "../components/HostNoiseChart";
import { HostPoolForm } from "../components/HostPoolForm";
import { HostRow } from "../components/HostRow";
import { PageHead } from "../components/PageHead";
import { Panel } from "../components/Panel";
import { SettingsPart } from "../components/SettingsPart";
import { SightTable } from "../components/SightTable";
import { Failed, Loading } from "../components/States";
import { useNow } from "../components/useNow";
import { useSession } from "../components/useSession";
import { useTitle } from "../components/useTitle";

const route = getRouteApi("/hosts/$host");

export function HostPage() {
  const { host: name } = route.useParams();
  useTitle(name, "Hosts");
  const { data: host, error, refetch } = useQuery(hostQuery(name));
  const administrator = useSession()?.administrator ?? false;
  const now = useNow();
  return (
    <>
      <PageHead
        title={name}
        under={host && `${host.host_class}, first seen ${host.first_seen_at.slice(0, 10)}`}
      />
      {host === undefined && (error ? <Failed error={error} onRetry={refetch} /> : <Loading />)}
      {host && (
        <>
          <div className="panel panel-body">
            <ul className="rows jobs">
              <HostRow host={host} now={now} />
            </ul>
            {administrator && <HostPoolForm host={host} />}
          </div>
          <Panel title="Health in the last day">
            <HostHealth host={name} />
          </Panel>
          <Noise host={name} />
          <Panel title="What it was">
            <FingerprintList fingerprints={host.fingerprints} />
          </Panel>
        </>
      )}
    </>
  );
}

function Noise({ host }: { host: string }) {
  return (
    <SettingsPart
      title="Noise, and what it can see"
      aside={<span className="soft">half the width of each run's interval of CPP, %</span>}
      query={noiseQuery(host)}
    >
      {({ points, sights }) =>
        points.length === 0 ? (
          <p className="soft">No run that you may read was judged here yet.</p>
        ) : (
          <>
            <HostNoiseChart points={points} />
            <SightTable sights={sights} />
            <p className="soft small">
              “Seen in 12”: a change of this size is found with 90 % chance in a run of 12 launches, at the
              noise its runs have shown here.
            </p>
          </>
        )
      }
    </SettingsPart>
  );
}
