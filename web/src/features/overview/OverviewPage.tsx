// SPDX-License-Identifier: Apache-2.0
/** All projects at a glance: how they are, what changed since the last look, what is open, who measures. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { projectsQuery } from "../../shared/api/queries";
import { useLiveJobs } from "../../shared/ui/hooks/useLive";
import { useSession } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { LiveMark } from "../../shared/ui/LiveMark";
import { NewServerNote } from "../../shared/ui/NewServer";
import { PageHead } from "../../shared/ui/PageHead";
import { Loading } from "../../shared/ui/States";
import { overviewQuery } from "./api";
import { ChangesPanel } from "./ChangesPanel";
import { FirstProject } from "./FirstProject";
import { HostsPanel } from "./HostsPanel";
import { OpenAlertsPanel } from "./OpenAlertsPanel";
import { ProjectsPanel } from "./ProjectsPanel";
import { RunningPanel } from "./RunningPanel";
import { useLastVisit } from "./useLastVisit";

export function OverviewPage() {
  useTitle("Overview");
  const live = useLiveJobs({}, ["overview", "projects"]);
  const empty = useQuery(projectsQuery()).data?.length === 0;
  return (
    <>
      <PageHead title="Overview" mark={<LiveMark live={live} />}>
        {useSession()?.administrator && <Link to="/new">New project</Link>}
      </PageHead>
      {empty ? <FirstProject /> : <Panels live={live} />}
    </>
  );
}

function Panels({ live }: { live: boolean }) {
  const seen = useLastVisit();
  const overview = useQuery(overviewQuery(seen.at));
  const projects = useQuery(projectsQuery());
  const known = Boolean(useSession()?.name);
  // Panels that come one by one would push each other down while one reads.
  // Only before the first answers: a request after a failure is pending, too, and would take the failure away.
  if (!projects.isFetched || !overview.isFetched) return <Loading rows={16} />;
  return (
    <>
      <NewServerNote />
      <OpenAlertsPanel query={overview} />
      <ProjectsPanel query={projects} trends={overview.data?.trends} />
      <ChangesPanel query={overview} seen={seen} />
      <div className="panel-grid">
        <RunningPanel waiting={overview.data?.jobs_waiting} live={live} />
        {known && <HostsPanel />}
      </div>
    </>
  );
}
