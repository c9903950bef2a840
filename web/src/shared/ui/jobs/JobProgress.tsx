// SPDX-License-Identifier: Apache-2.0
import { Progress } from "@mantine/core";
import type { JobBrief } from "../../api/types";
import { isActive } from "../../logic/run/verdict";
import { Icon, type IconName } from "../Icon";

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

const ENDED: Partial<Record<JobBrief["state"], IconName>> = {
  done: "check",
  failed: "broken",
  invalid: "invalid",
  cancelled: "broken",
  superseded: "right",
};

export function JobBadge({ job }: { job: JobBrief }) {
  const moving = isActive(job) && job.state !== "queued";
  return (
    <span className={`verdict state-pill${moving ? " active" : ""}`}>
      {moving ? <span className="pulse" /> : <Icon name={ENDED[job.state] ?? "clock"} />}
      {WORDS[job.state]}
    </span>
  );
}

/** Why it ended without a result, in one line. */
const failureOf = ({ state, message }: Pick<JobBrief, "state" | "message">): string | null =>
  state === "failed" || state === "invalid" ? (message?.split("\n", 1)[0] ?? null) : null;

/** Bar and present work of a job that is under way; the reason of one that ended without a verdict. */
export function JobProgress({
  job,
}: {
  job: Pick<JobBrief, "state" | "step" | "detail" | "fraction" | "message">;
}) {
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
      <span className="progress-text">
        {job.state === "queued" ? "Waiting in the queue" : (failureOf(job) ?? job.detail ?? job.step)}
      </span>
    </div>
  );
}
