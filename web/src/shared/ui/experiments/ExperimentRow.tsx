// SPDX-License-Identifier: Apache-2.0
import { Button, Progress } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { cancelExperiment, experimentQuery } from "../../api/experiments";
import { jobQuery } from "../../api/jobs";
import type { Experiment, JobDetail } from "../../api/types";
import { isRunning } from "../../logic/queue";
import { isUnderWay, jobText, percentTaken, progressText, requestText } from "../../logic/run/experiments";
import { ago, shortSha } from "../../logic/text/format";
import { ActionError } from "../ActionError";
import { useAction } from "../hooks/useAction";
import { useNow } from "../hooks/useNow";
import { useMay } from "../hooks/useSession";
import { ExperimentCells } from "./ExperimentCells";

/** One experiment: of what, by whom, how far; with a bar while it is under way. */
export function ExperimentRow({ experiment }: { experiment: Experiment }) {
  const now = useNow();
  const active = isUnderWay(experiment);
  const { data: detail } = useQuery({ ...experimentQuery(experiment.id), enabled: active });
  const shown = active && detail ? detail : experiment; // once over, only the list is read again
  const jobId = detail?.job_id ?? null;
  const { data: found } = useQuery({ ...jobQuery(jobId ?? 0), enabled: active && jobId !== null });
  const job = active ? found : undefined;
  const planned = detail?.result && "cells" in detail.result ? detail.result.cells : null;
  return (
    <li className="row">
      <div className="row-main">
        <strong>Experiment {shown.id}</strong> on <span className="mono">{shortSha(shown.sha)}</span>
        <span className="below">{requestText(shown)}</span>
        <span className="below">
          requested by {shown.requested_by}, {ago(shown.created_at, now)}
          {shown.host_class && `, on ${shown.host_class}`}
        </span>
        {shown.message && <span className="below">{shown.message}</span>}
        {job && <span className="below wrap-text">{jobText(job, now)}</span>}
        {active && (shown.cells > 0 || (job && isRunning(job))) && (
          <Bar shown={shown} planned={planned} job={job} />
        )}
      </div>
      <span role={active ? "status" : undefined}>
        {progressText(shown, planned, job !== undefined && isRunning(job))}
      </span>
      {jobId !== null && (
        <Link to="/jobs/$jobId" params={{ jobId: String(jobId) }}>
          job {jobId}
        </Link>
      )}
      {active && <Cancel experiment={shown} />}
      {shown.cells > 0 && <ExperimentCells number={shown.id} />}
    </li>
  );
}

interface BarProps {
  shown: Experiment;
  planned: number | null;
  job: JobDetail | undefined;
}

/** By cells where there are cells; else by what the agent says of its job. */
function Bar({ shown, planned, job }: BarProps) {
  const reported = job?.fraction ?? null;
  const percent =
    shown.cells > 0
      ? percentTaken(shown.cells, planned)
      : reported === null
        ? null
        : Math.round(100 * reported);
  const label = `Experiment ${shown.id}${percent === null ? "" : `, ${percent} per cent`}`;
  return (
    <Progress
      size="sm"
      mt={6}
      value={percent ?? 100}
      striped={percent === null}
      animated={percent === null}
      aria-label={label}
    />
  );
}

function Cancel({ experiment }: { experiment: Experiment }) {
  const allowed = useMay(experiment.project, "developer");
  const cancel = useAction(() => cancelExperiment(experiment.id), {
    renews: ["experiment", "experiments", "jobs"],
  });
  if (!allowed) return null;
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={cancel.isPending}
        onClick={() => cancel.mutate(undefined)}
        aria-label={`Cancel experiment ${experiment.id}`}
      >
        Cancel
      </Button>
      <ActionError error={cancel.error} />
    </>
  );
}
