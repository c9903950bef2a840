// SPDX-License-Identifier: Apache-2.0
/** All projects at a glance: how they are, what changed since the last look, what is open, who measures. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { overviewQuery } from "../api/overview";
import { projectsQuery } from "../api/queries";
import { ChangesPanel } from "../components/ChangesPanel";
import { FirstProject } from "../components/FirstProject";
import { HostsPanel } from "../components/HostsPanel";
import { LiveMark } from "../components/LiveMark";
import { NewServerNote } from "../components/NewServer";
import { OpenAlertsPanel } from "../components/OpenAlertsPanel";
import { PageHead } from "../components/PageHead";
import { ProjectsPanel } from "../components/ProjectsPanel";
import { RunningPanel } from "../components/RunningPanel";
import { useLiveJobs } from "../components/useLive";
import { useSeen } from "../components/useSeen";
import { useSession } from "../components/useSession";
import { useTitle } from "../components/useTitle";

export function OverviewPage() {
  useTitle("Overview");
  const live = useLiveJobs({}, ["overview", "projects"]);
  const empty = useQuery(projectsQuery()).data?.length === 0;
  return (
    <>
      <PageHead title="Overview" mark={<LiveMark live={live} />}>
        {useSession()?.administrator && <Link to="/new">New project</Link>}
      </PageHead>
      {empty ? (
        <FirstProject />
      ) : (
        <>
          <NewServerNote />
          <Panels live={live} />
        </>
      )}
    </>
  );
}

function Panels({ live }: { live: boolean }) {
  const seen = useSeen();
  const overview = useQuery(overviewQuery(seen.at));
  const known = Boolean(useSession()?.name);
  return (
    <>
      <ProjectsPanel />
      <ChangesPanel query={overview} seen={seen} />
      <OpenAlertsPanel query={overview} />
      <div className="panel-grid">
        <RunningPanel waiting={overview.data?.jobs_waiting} live={live} />
        {known && <HostsPanel />}
      </div>
    </>
  );
}
