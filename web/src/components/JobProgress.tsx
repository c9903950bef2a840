// SPDX-License-Identifier: Apache-2.0
import { Progress } from "@mantine/core";
import type { JobBrief } from "../api/types";
import { isActive } from "../logic/verdict";
import { Icon } from "./Icon";

const WORDS: Record<JobBrief["state"], string> = {
  queued: "Queued",
  leased: "Starting",
  building: "Building",
  measuring: "Measuring",
  uploading: "Uploading",
  done: "Done",
  failed: "Failed",
  invalid: "Invalid",
  cancelled: "Cancelled",
  superseded: "Superseded",
};

export const stateWord = (state: JobBrief["state"]): string => WORDS[state];

export function JobBadge({ job }: { job: JobBrief }) {
  const moving = isActive(job) && job.state !== "queued";
  return (
    <span className={`verdict state-pill${moving ? " active" : ""}`}>
      {moving ? <span className="pulse" /> : <Icon name={job.state === "failed" ? "broken" : "clock"} />}
      {WORDS[job.state]}
    </span>
  );
}

/** Step and bar of a job that is under way; the reason of one that ended without a verdict. */
export function JobProgress({ job }: { job: Pick<JobBrief, "state" | "step" | "detail" | "fraction"> }) {
  const text = [job.step, job.detail].filter(Boolean).join(": ");
  const percent = job.fraction === null ? null : Math.round(job.fraction * 100);
  return (
    <div className="progress">
      {isActive(job) && job.state !== "queued" && (
        <Progress
          size="sm"
          value={percent ?? 100}
          striped={percent === null}
          animated={percent === null}
          aria-label={`${WORDS[job.state]}${percent === null ? "" : `, ${percent} per cent`}`}
        />
      )}
      <span className="progress-text">{job.state === "queued" ? "Waits for its turn" : text}</span>
    </div>
  );
}
