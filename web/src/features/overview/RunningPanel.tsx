// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { runningJobsQuery } from "../../shared/api/jobs";
import type { Job } from "../../shared/api/types";
import { counted } from "../../shared/logic/overview";
import { purposeOf } from "../../shared/logic/queue";
import { shortSha } from "../../shared/logic/text/format";
import { JobBadge, JobProgress } from "../../shared/ui/jobs/JobProgress";
import { QueryPanel } from "./QueryPanel";

interface Props {
  /** How many jobs wait; undefined: not known. */
  waiting: number | undefined;
  live: boolean;
}

/** What is being measured, and how much waits. */
export function RunningPanel({ waiting, live }: Props) {
  return (
    <QueryPanel
      title="Queue"
      aside={<Link to="/queue">Whole queue</Link>}
      query={useQuery(runningJobsQuery(undefined, live))}
    >
      {(jobs) => (
        <div className="panel-body">
          {jobs.length === 0 && <p className="soft">Nothing is being measured.</p>}
          <ol className="rows">
            {jobs.map((job) => (
              <Row key={job.id} job={job} />
            ))}
          </ol>
          {waiting !== undefined && (
            <p className="soft">
              {waiting === 0 ? "The queue is empty." : `${counted(waiting, "job")} waiting.`}
            </p>
          )}
        </div>
      )}
    </QueryPanel>
  );
}

function Row({ job }: { job: Job }) {
  const purpose = purposeOf(job);
  return (
    <li className="row">
      <span className="overview-state">
        <JobBadge job={job} />
      </span>
      <span className="row-main">
        <Link to="/jobs/$jobId" params={{ jobId: String(job.id) }}>
          {job.subject ?? <span className="mono">{shortSha(job.head_sha)}</span>}
        </Link>
        <span className="below">
          {job.project} · {purpose}
          {job.host && !purpose.endsWith(`on ${job.host}`) && ` · on ${job.host}`}
        </span>
        <JobProgress job={job} />
      </span>
    </li>
  );
}
