// SPDX-License-Identifier: Apache-2.0
/** A job in the queue: what of, for whom, how far or why it waits, and what can be done. */
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Job } from "../../api/types";
import { isRunning, purposeOf, whyWaits } from "../../logic/queue";
import { ago, moment, shortSha } from "../../logic/text/format";
import { Icon } from "../Icon";
import { JobActions } from "./JobActions";
import { JobBadge, JobProgress } from "./JobProgress";
import { LogTail } from "./LogTail";
import { WhyWaits } from "./WhyWaits";

interface Props {
  job: Job;
  now: number;
  /** Its place among those that wait; null: it waits for something else, in a list of those that have one. */
  place?: number | null | undefined;
}

export function JobRow({ job, now, place }: Props) {
  const running = isRunning(job);
  const waits = job.state === "queued";
  return (
    <li className="job">
      <div className="job-state">
        {place !== undefined && <span className="job-place number">{place}</span>}
        <JobBadge job={job} />
      </div>
      <div className="job-main">
        <Link to="/jobs/$jobId" params={{ jobId: String(job.id) }} className="job-link">
          {job.subject ?? <span className="mono">{shortSha(job.head_sha)}</span>}
        </Link>
        <JobMeta job={job} now={now} />
      </div>
      <div className="job-how">
        {running && <JobProgress job={job} />}
        {running && job.host && <span className="below">on {job.host}</span>}
        {waits && <Waits job={job} now={now} />}
        {!running && !waits && job.message && <span className="soft clamp">{job.message}</span>}
      </div>
      <div className="job-do">
        <JobActions job={job} />
      </div>
      {running && (
        <Expandable word="Log">
          <LogTail id={job.id} />
        </Expandable>
      )}
    </li>
  );
}

function Waits({ job, now }: { job: Job; now: number }) {
  const why = whyWaits(job, now, moment);
  if (why !== null)
    return (
      <span className={job.held === null ? "soft clamp" : "held"}>
        {job.held !== null && <Icon name="invalid" />} {why}
      </span>
    );
  return <WhyWaits id={job.id} />;
}

function JobMeta({ job, now }: { job: Job; now: number }) {
  const ended = job.finished_at;
  return (
    <span className="below">
      {job.project}
      {job.subject && <span className="mono"> {shortSha(job.head_sha)}</span>}
      {job.author && ` by ${job.author}`}
      {` · ${purposeOf(job)}`}
      {job.scenarios && ` · only ${job.scenarios.join(", ")}`}
      {job.attempts > 1 && ` · attempt ${job.attempts}`}
      <span title={moment(ended ?? job.created_at)}>
        {" · "}
        {ended ? `ended ${ago(ended, now)}` : `queued ${ago(job.created_at, now)}`}
      </span>
    </span>
  );
}

/** What is inside is only asked for once it is opened. */
function Expandable({ word, children }: { word: string; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="job-log" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{word}</summary>
      {open && children}
    </details>
  );
}
