// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { addExperiment } from "../../api/experiments";
import type { ExperimentKind } from "../../api/types";
import { ActionError } from "../ActionError";
import { useAction } from "../hooks/useAction";
import { useMay } from "../hooks/useSession";

/** Starts an experiment on the default branch's tip; for those who may not, the command of those who may. */
export function RequestExperiment({ project, kind }: { project: string; kind: ExperimentKind }) {
  const allowed = useMay(project, "developer");
  const ask = useAction(() => addExperiment(project, { kind, names: [] }), {
    renews: ["experiments", "jobs"],
  });
  if (!allowed) return <code className="command">{`nalm-server experiment ${project} ${kind}`}</code>;
  return (
    <div className="form-line centered">
      <Button
        size="xs"
        variant="default"
        loading={ask.isPending}
        onClick={() => ask.mutate(undefined)}
        aria-label={`Run an experiment of kind ${kind}`}
      >
        Run an experiment
      </Button>
      <span className="soft small">On the tip of the default branch, as its nalm.toml says.</span>
      <ActionError error={ask.error} />
    </div>
  );
}
