// SPDX-License-Identifier: Apache-2.0
/** One job: how far it is, each change of its state with time and reason, its log, its runs. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { jobQuery } from "../../shared/api/jobs";
import type { JobDetail } from "../../shared/api/types";
import { purposeOf, reasonWord } from "../../shared/logic/queue";
import { KIND_WORDS } from "../../shared/logic/run/kinds";
import { isActive } from "../../shared/logic/run/verdict";
import { moment, said, shortSha } from "../../shared/logic/text/format";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { JobActions } from "../../shared/ui/jobs/JobActions";
import { JobBadge, JobProgress } from "../../shared/ui/jobs/JobProgress";
import { LogTail } from "../../shared/ui/jobs/LogTail";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { Facts } from "../../shared/ui/run/HostFacts";
import { Failed, Loading } from "../../shared/ui/States";
import { TransitionTable } from "./TransitionTable";

const route = getRouteApi("/jobs/$jobId");

export function JobPage() {
  const { jobId } = route.useParams();
  const { data: job, error, refetch } = useQuery(jobQuery(Number(jobId), true));
  useTitle(`Job ${jobId}`);
  if (job === undefined)
    return (
      <>
        <PageHead title={`Job ${jobId}`} up={<Link to="/queue">Queue</Link>} />
        {error ? <Failed error={error} onRetry={refetch} /> : <Loading />}
      </>
    );
  return (
    <>
      <PageHead
        title={`Job ${job.id}`}
        under={job.subject ?? reasonWord(job.reason)}
        up={<UpToQueue project={job.project} />}
      >
        <JobActions job={job} />
      </PageHead>
      <Panel title="State" aside={<JobBadge job={job} />}>
        <State job={job} />
      </Panel>
      <Panel title="Activity">
        <TransitionTable transitions={job.transitions} />
      </Panel>
      <Panel title="Log">
        <LogTail id={job.id} tall />
      </Panel>
    </>
  );
}

function State({ job }: { job: JobDetail }) {
  const pairs: [string, ReactNode][] = [
    ["Compares", <Commits key="commits" job={job} />],
    ["Measures", KIND_WORDS[job.kind]],
    ["Scenarios", job.scenarios?.join(", ") ?? "those of nalm.toml"],
    ["Queued for", purposeOf(job)],
    ["Pull request", job.pull_request ?? ""],
    ["Fork", job.fork ?? ""],
    ["Waits for approval", job.state === "queued" ? (job.held ?? "") : ""],
    ["Approved", job.approved_at === null ? "" : `by ${job.approved_by}, ${moment(job.approved_at)}`],
    ["Place in the queue", job.queue_position ?? ""],
    ["Waiting because", said(job.waiting ?? "")],
    ["Tried again", job.not_before && job.state === "queued" ? moment(job.not_before) : ""],
    [
      job.state === "queued" ? "Host before" : "Host",
      job.host ? <HostLink key="host" host={job.host} /> : "",
    ],
    ["Attempts", job.attempts],
    ["Part of", <PartOf key="part" job={job} />],
    ["Runs", <Runs key="runs" job={job} />],
    ["Says", job.message ?? ""],
  ];
  const empty = (key: string): boolean =>
    (key === "Part of" && job.backfill_id === null && job.bisect_id === null) ||
    (key === "Runs" && job.run_ids.length === 0);
  return (
    <>
      {isActive(job) && job.state !== "queued" && <JobProgress job={job} />}
      <Facts pairs={pairs.filter(([key, value]) => value !== "" && !empty(key))} />
    </>
  );
}

function Commits({ job }: { job: JobDetail }) {
  return (
    <Link
      to="/p/$project/compare"
      params={{ project: job.project }}
      search={{ base: job.base_sha, head: job.head_sha }}
      className="mono"
    >
      {shortSha(job.base_sha)} with {shortSha(job.head_sha)}
    </Link>
  );
}

function PartOf({ job }: { job: JobDetail }) {
  const { project } = job;
  if (job.backfill_id !== null)
    return (
      <Link to="/p/$project/backfills/$id" params={{ project, id: String(job.backfill_id) }}>
        Backfill {job.backfill_id}
      </Link>
    );
  return (
    <Link to="/p/$project/bisections/$id" params={{ project, id: String(job.bisect_id) }}>
      Bisection {job.bisect_id}
    </Link>
  );
}

function Runs({ job }: { job: JobDetail }) {
  return job.run_ids.map((runId, index) => (
    <span key={runId}>
      {index > 0 && ", "}
      <Link to="/p/$project/runs/$runId" params={{ project: job.project, runId }} className="mono">
        {runId.slice(0, 8)}
      </Link>
    </span>
  ));
}

const UpToQueue = ({ project }: { project: string }) => (
  <>
    <Link to="/p/$project" params={{ project }}>
      {project}
    </Link>
    <Link to="/p/$project/queue" params={{ project }}>
      Queue
    </Link>
  </>
);

const HostLink = ({ host }: { host: string }) => (
  <Link to="/hosts/$host" params={{ host }}>
    {host}
  </Link>
);
