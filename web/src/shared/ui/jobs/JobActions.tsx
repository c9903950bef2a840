// SPDX-License-Identifier: Apache-2.0
/** What may be done with a job, for those who may: developers of its project. */
import { Button } from "@mantine/core";
import { actOnJob } from "../../api/jobs";
import type { Job } from "../../api/types";
import { actionsOf, type JobAction } from "../../logic/queue";
import { ActionError } from "../ActionError";
import { useAction } from "../hooks/useAction";
import { useKeptFocus } from "../hooks/useKeptFocus";
import { useMay } from "../hooks/useSession";

const WORDS: Record<JobAction, string> = {
  cancel: "Cancel",
  retry: "Try again",
  boost: "Run next",
  approve: "Approve",
  reject: "Reject",
};

export function JobActions({ job }: { job: Job }) {
  const allowed = useMay(job.project, "developer");
  const act = useAction((action: JobAction) => actOnJob(action, job.id), {
    renews: ["jobs", "job", "commits", "projects"],
  });
  const kept = useKeptFocus<HTMLSpanElement>();
  const offered = actionsOf(job);
  if (!allowed || (offered.length === 0 && act.error === null)) return null;
  return (
    <>
      <span className="actions" {...kept}>
        {offered.map((action) => (
          <Button
            key={action}
            size="compact-sm"
            variant={action === "approve" ? "filled" : "default"}
            aria-label={`${WORDS[action]}, job ${job.id}`}
            loading={act.isPending && act.variables === action}
            onClick={() => act.mutate(action)}
          >
            {WORDS[action]}
          </Button>
        ))}
      </span>
      <ActionError error={act.error} />
    </>
  );
}
