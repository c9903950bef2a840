// SPDX-License-Identifier: Apache-2.0
/** Jobs, one a row: what of, what for, where, how long each part took, and what came of it. */
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode, useState } from "react";
import type { Job } from "../../api/types";
import { isRunning, jobTimes, purposeOf, whyWaits } from "../../logic/queue";
import { ago, duration, MISSING, moment, shortSha } from "../../logic/text/format";
import { Icon } from "../Icon";
import { ScrollTable } from "../lists/ScrollTable";
import { OutcomePills } from "../run/OutcomePills";
import { JobActions } from "./JobActions";
import { JobBadge, JobProgress } from "./JobProgress";
import { LogTail } from "./LogTail";
import { WhyWaits } from "./WhyWaits";

interface Props {
  jobs: readonly Job[];
  label: string;
  now: number;
}

export function JobTable({ jobs, label, now }: Props) {
  const heads = ["Commit", "State", "Trigger", "Host", "Waited", "Ran", "Result"];
  return (
    <ScrollTable label={label} className="jobs">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} className={head === "Waited" || head === "Ran" ? undefined : "left"}>
              {head}
            </th>
          ))}
          <th className="left">
            <span className="hidden-text">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <Fragment key={job.id}>
            <Row job={job} now={now} />
            {isRunning(job) && (
              <tr>
                <td className="left" colSpan={heads.length + 1}>
                  <Expandable word="Log">
                    <LogTail id={job.id} />
                  </Expandable>
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function Row({ job, now }: { job: Job; now: number }) {
  const { waited, ran } = jobTimes(job, now);
  return (
    <tr>
      <th scope="row" className="wrap-text job-main">
        <Link to="/jobs/$jobId" params={{ jobId: String(job.id) }} className="job-link">
          {job.subject ?? shortSha(job.head_sha)}
        </Link>
        <span className="below">
          {job.project}
          {job.subject && (
            <>
              {" "}
              · <span className="mono">{shortSha(job.head_sha)}</span>
            </>
          )}
          {job.author && ` by ${job.author}`}
        </span>
      </th>
      <td className="left">
        {job.queue_position !== null && <span className="job-place number">{job.queue_position}</span>}{" "}
        <JobBadge job={job} />
        {job.finished_at && (
          <span className="below" title={moment(job.finished_at)}>
            {ago(job.finished_at, now)}
          </span>
        )}
      </td>
      <td className="left wrap-text">
        {purposeOf(job)}
        {job.scenarios && <span className="below">only {job.scenarios.join(", ")}</span>}
        {job.attempts > 1 && <span className="below">attempt {job.attempts}</span>}
      </td>
      <td className="left wrap-text" data-head="Host">
        {job.host ?? <span className="soft">{MISSING}</span>}
      </td>
      <td data-head="Waited" title={`queued ${moment(job.created_at)}`}>
        {duration(waited)}
      </td>
      <td data-head="Ran" title={job.leased_at ? `begun ${moment(job.leased_at)}` : undefined}>
        {duration(ran)}
      </td>
      <td className="left wrap-text job-how">
        <Result job={job} now={now} />
      </td>
      <td className="left">
        <JobActions job={job} />
      </td>
    </tr>
  );
}

/** What came of it: how far it is, why it waits, its verdicts, or why there is none. */
function Result({ job, now }: { job: Job; now: number }) {
  if (isRunning(job)) return <JobProgress job={job} />;
  if (job.state === "queued") return <Waits job={job} now={now} />;
  if (Object.keys(job.outcomes).length > 0)
    return (
      <Link
        to="/p/$project/compare"
        params={{ project: job.project }}
        search={{ base: job.base_sha, head: job.head_sha }}
        className="job-outcomes"
      >
        <OutcomePills outcomes={job.outcomes} />
      </Link>
    );
  return job.message ? (
    <span className="soft clamp">{job.message}</span>
  ) : (
    <span className="soft">{MISSING}</span>
  );
}

function Waits({ job, now }: { job: Job; now: number }) {
  const why = whyWaits(job, now, moment);
  if (why === null) return <WhyWaits id={job.id} />;
  return (
    <span className={job.held === null ? "soft clamp" : "held"}>
      {job.held !== null && <Icon name="invalid" />} {why}
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
