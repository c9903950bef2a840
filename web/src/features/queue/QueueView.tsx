// SPDX-License-Identifier: Apache-2.0
/** What is measured now, what waits and in which order, what ended recently. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { endedJobsQuery, MOST_JOBS, runningJobsQuery, waitingJobsQuery } from "../../shared/api/jobs";
import type { Job } from "../../shared/api/types";
import { useKeptFocus } from "../../shared/ui/hooks/useKeptFocus";
import { useNow } from "../../shared/ui/hooks/useNow";
import { JobTable } from "../../shared/ui/jobs/JobTable";
import { Panel } from "../../shared/ui/Panel";
import { CenterState, Failed, Loading } from "../../shared/ui/States";

interface Props {
  /** Only this project's. */
  project: string | undefined;
  /** Only these reasons; none: all. */
  reasons: readonly string[];
  live: boolean;
}

export function QueueView({ project, reasons, live }: Props) {
  const [read, queue, ended] = [
    useQuery(runningJobsQuery(project, live)),
    useQuery(waitingJobsQuery(project, live)),
    useQuery(endedJobsQuery(project, live)),
  ];
  const now = useNow();
  const error = read.error ?? queue.error ?? ended.error;
  if (read.data === undefined || queue.data === undefined || ended.data === undefined)
    return error ? (
      <Failed error={error} onRetry={() => [read, queue, ended].map((one) => one.refetch())} />
    ) : (
      <Loading />
    );
  const requested = (job: Job): boolean => reasons.length === 0 || reasons.includes(job.reason);
  const running = read.data.filter(requested);
  const waiting = queue.data.filter(requested);
  const late = ended.data.filter(requested);
  const isCut = queue.data.length >= MOST_JOBS;
  if (running.length + waiting.length + late.length === 0 && !isCut)
    return <NothingHere filtered={reasons.length > 0} />;
  return (
    <>
      {error && <Stale />}
      <Part title="Running" none="Nothing is being measured." jobs={running} now={now} />
      <Waiting jobs={waiting} isCut={isCut} now={now} />
      <Part title="Recently finished" none="No job finished recently." jobs={late} now={now} />
    </>
  );
}

const AT_FIRST = 20;

interface WaitingProps extends Pick<PartProps, "jobs" | "now"> {
  /** More jobs wait than were read. */
  isCut: boolean;
}

/** Projects take turns, so the order between projects is that of their turns; within one it is this one. */
function Waiting({ jobs, isCut, now }: WaitingProps) {
  const [all, setAll] = useState(false);
  const shown = all ? jobs : jobs.slice(0, AT_FIRST);
  const rest = jobs.length - shown.length;
  return (
    <Part
      title="Waiting"
      none={isCut ? `None among the first ${MOST_JOBS} of the queue.` : "The queue is empty."}
      jobs={shown}
      now={now}
      foot={
        <>
          {rest > 0 && (
            <Button size="xs" variant="default" onClick={() => setAll(true)}>
              Show {rest} more
            </Button>
          )}
          {rest === 0 && isCut && jobs.length > 0 && (
            <p className="soft">
              The first {MOST_JOBS} of the queue. More jobs wait; their pages show their places.
            </p>
          )}
        </>
      }
    />
  );
}

interface PartProps {
  title: string;
  none: string;
  jobs: readonly Job[];
  now: number;
  foot?: ReactNode;
}

function Part({ title, none, jobs, now, foot }: PartProps) {
  // A job leaves its part when somebody acts on it.
  const kept = useKeptFocus<HTMLDivElement>();
  return (
    <Panel title={title}>
      <div {...kept} tabIndex={-1}>
        {jobs.length === 0 ? (
          <p className="soft">{none}</p>
        ) : (
          <JobTable jobs={jobs} label={`Jobs: ${title.toLowerCase()}`} now={now} />
        )}
        {foot}
      </div>
    </Panel>
  );
}

const Stale = () => (
  <p role="status" className="held">
    The server is not responding. The data below may be out of date.
  </p>
);

function NothingHere({ filtered }: { filtered: boolean }) {
  return (
    <CenterState icon="check" title={filtered ? "Nothing of this kind" : "The queue is empty"}>
      <p>
        Pushes, pull requests and requests of users appear here when they arrive, and stay while they are
        measured.
      </p>
    </CenterState>
  );
}
