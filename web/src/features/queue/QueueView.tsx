// SPDX-License-Identifier: Apache-2.0
/** What is measured now, what waits and in which order, what ended recently. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { endedJobsQuery, openJobsQuery } from "../../shared/api/jobs";
import type { Job } from "../../shared/api/types";
import { inOrder, isRunning, placesOf } from "../../shared/logic/queue";
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
  const open = useQuery(openJobsQuery(project, live));
  const ended = useQuery(endedJobsQuery(project, live));
  const now = useNow();
  const error = open.error ?? ended.error;
  if (open.data === undefined || ended.data === undefined)
    return error ? (
      <Failed error={error} onRetry={() => [open, ended].map((one) => one.refetch())} />
    ) : (
      <Loading />
    );
  const requested = (job: Job): boolean => reasons.length === 0 || reasons.includes(job.reason);
  const running = open.data.filter(isRunning).filter(requested);
  const queued = open.data.filter((job) => !isRunning(job));
  const waiting = inOrder(queued.filter(requested));
  const late = ended.data.filter(requested);
  if (running.length + waiting.length + late.length === 0)
    return <NothingHere filtered={reasons.length > 0} />;
  return (
    <>
      {error && <Stale />}
      <Part title="Running" none="Nothing is being measured." jobs={running} now={now} />
      <Waiting jobs={waiting} places={placesOf(queued)} now={now} />
      <Part title="Recently finished" none="No job finished recently." jobs={late} now={now} />
    </>
  );
}

const AT_FIRST = 20;

/** Projects take turns, so the order between projects is that of their turns; within one it is this one. */
function Waiting({ jobs, places, now }: Pick<PartProps, "jobs" | "places" | "now">) {
  const [all, setAll] = useState(false);
  const shown = all ? jobs : jobs.slice(0, AT_FIRST);
  const rest = jobs.length - shown.length;
  return (
    <Part
      title="Waiting"
      none="The queue is empty."
      jobs={shown}
      now={now}
      places={places}
      foot={
        rest > 0 && (
          <Button size="xs" variant="default" onClick={() => setAll(true)}>
            Show {rest} more
          </Button>
        )
      }
    />
  );
}

interface PartProps {
  title: string;
  none: string;
  jobs: readonly Job[];
  now: number;
  places?: ReadonlyMap<number, number> | undefined;
  foot?: ReactNode;
}

function Part({ title, none, jobs, now, places, foot }: PartProps) {
  return (
    <Panel title={title}>
      {jobs.length === 0 ? (
        <p className="soft">{none}</p>
      ) : (
        <JobTable jobs={jobs} label={`Jobs: ${title.toLowerCase()}`} now={now} places={places} />
      )}
      {foot}
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
