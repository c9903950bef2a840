// SPDX-License-Identifier: Apache-2.0
import { Progress } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import { allJobsQuery, MOST_JOBS } from "../../shared/api/jobs";
import type { Backfill } from "../../shared/api/types";
import { counted } from "../../shared/logic/overview";
import { MISSING, moment, shortSha } from "../../shared/logic/text/format";
import { useLiveJobs } from "../../shared/ui/hooks/useLive";
import { useNow } from "../../shared/ui/hooks/useNow";
import { JobTable } from "../../shared/ui/jobs/JobTable";
import { Panel } from "../../shared/ui/Panel";
import { Facts } from "../../shared/ui/run/HostFacts";
import { FailedPart } from "../../shared/ui/States";
import { backfillQuery, cancelBackfill } from "./api";
import { CampaignFrame } from "./CampaignFrame";
import { jobsNote, percentDone, searchStateWord } from "./campaigns";

const route = getRouteApi("/p/$project/backfills/$id");

export function BackfillPage() {
  const { project, id } = route.useParams();
  const number = Number(id);
  const live = useLiveJobs({ project, backfill: number }, ["backfill"]);
  const { data: backfill, error, refetch } = useQuery(backfillQuery(number));
  if (backfill !== undefined && backfill.project !== project)
    return <Navigate to="/p/$project/backfills/$id" params={{ project: backfill.project, id }} replace />;
  return (
    <CampaignFrame
      project={project}
      title={`Backfill ${id}`}
      campaign={backfill}
      error={error}
      onRetry={refetch}
      live={live}
      state={(loaded) => searchStateWord(loaded.state)}
      cancel={cancelBackfill}
      renews={["backfill", "backfills"]}
    >
      {(loaded) => (
        <>
          <HowFar backfill={loaded} />
          <Jobs backfill={loaded} live={live} />
        </>
      )}
    </CampaignFrame>
  );
}

function HowFar({ backfill }: { backfill: Backfill }) {
  const { progress } = backfill;
  const read = progress.total > 0;
  const known = (count: number) => (read ? count : MISSING);
  const percent = percentDone(progress);
  return (
    <Panel
      title={read ? `${percent} % of ${counted(progress.total, "commit")}` : searchStateWord(backfill.state)}
    >
      <Progress value={percent} aria-label={`${percent} per cent`} mb="md" />
      <Facts
        pairs={[
          ["Measured", known(progress.done)],
          ["Measured before", known(progress.reused)],
          ["Without a result", known(progress.failed)],
          ["In the queue", known(progress.queued)],
          ["Not queued yet", known(progress.waiting)],
          ["Range", <Range key="range" backfill={backfill} />],
          ["Commits", backfill.every === 1 ? "all of the range" : `one of ${backfill.every}`],
          ["Requested", `by ${backfill.requested_by}, ${moment(backfill.created_at)}`],
          ...(backfill.message ? [["Says", backfill.message] as const] : []),
        ]}
      />
    </Panel>
  );
}

const Range = ({ backfill }: { backfill: Backfill }) => (
  <Link
    to="/p/$project/compare"
    params={{ project: backfill.project }}
    search={{ base: backfill.first_sha, head: backfill.last_sha }}
    className="mono"
  >
    {shortSha(backfill.first_sha)}..{shortSha(backfill.last_sha)}
  </Link>
);

function Jobs({ backfill, live }: { backfill: Backfill; live: boolean }) {
  const { data, error, refetch } = useQuery(allJobsQuery(backfill.project, live));
  const now = useNow();
  if (data === undefined)
    return (
      <Panel title="Jobs">
        {error ? <FailedPart error={error} onRetry={refetch} /> : <span role="status">Reading jobs…</span>}
      </Panel>
    );
  const jobs = data.filter((job) => job.backfill_id === backfill.id);
  const note = jobsNote(backfill, data, MOST_JOBS);
  return (
    <Panel title="Jobs">
      {jobs.length > 0 && <JobTable jobs={jobs} label="Jobs of the backfill" now={now} />}
      {note && <p className="soft">{note}</p>}
    </Panel>
  );
}
