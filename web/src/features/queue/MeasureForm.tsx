// SPDX-License-Identifier: Apache-2.0
import { Button, Select } from "@mantine/core";
import { useForm } from "@mantine/form";
import { measure } from "../../shared/api/jobs";
import type { JobDetail } from "../../shared/api/types";
import { KIND_CHOICES, type RunKind } from "../../shared/logic/run/kinds";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { RevisionInput } from "./RevisionInput";

interface Props {
  project: string;
  head: string | undefined;
  onDone: (job: JobDetail) => void;
}

/** One commit, branch or tag, measured before everything nobody waits for. */
export function MeasureForm({ project, head, onDone }: Props) {
  const form = useForm({ initialValues: { revision: head ?? "", base: "", kind: "cycles" as RunKind } });
  const { revision, base, kind } = form.values;
  const request = useAction(() => measure(project, { head: revision, base: base || null, kind }), {
    renews: ["jobs", "commits"],
    onDone,
  });
  return (
    <form className="form" onSubmit={form.onSubmit(() => request.mutate(undefined))}>
      <RevisionInput
        project={project}
        label="Commit, branch or tag"
        required
        {...form.getInputProps("revision")}
      />
      <RevisionInput
        project={project}
        label="Compared with"
        description="Empty: the merge base with the default branch; on that branch, the parent"
        {...form.getInputProps("base")}
      />
      <Select
        label="What is measured"
        description="Rates and soaks are of the scenarios that [rates] of nalm.toml names"
        allowDeselect={false}
        data={KIND_CHOICES}
        {...form.getInputProps("kind")}
      />
      <ActionError error={request.error} />
      <Button type="submit" loading={request.isPending}>
        Measure
      </Button>
    </form>
  );
}
