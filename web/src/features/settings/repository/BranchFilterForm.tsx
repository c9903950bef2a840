// SPDX-License-Identifier: Apache-2.0
import { Button, Checkbox, Select, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { BranchFilterSettings, BranchFilterSettingsShown } from "../../../shared/api/types";
import { lines } from "../../../shared/logic/settings";
import { ActionError } from "../../../shared/ui/ActionError";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { setBranchFilters } from "../api";

const PUSH_COMMITS: { value: BranchFilterSettings["push_commits"]; label: string }[] = [
  { value: "each", label: "Each commit against its parent" },
  { value: "tip", label: "The push as one step" },
];
const FORKS: { value: BranchFilterSettings["fork_pull_requests"]; label: string }[] = [
  { value: "approve", label: "Wait for approval" },
  { value: "never", label: "Never measure" },
  { value: "always", label: "Measure without approval" },
];

/** Which commits are measured. */
export function BranchFilterForm({ project, now }: { project: string; now: BranchFilterSettingsShown }) {
  const form = useForm<BranchFilterSettings>({
    initialValues: {
      branches: now.branches,
      paths_ignore: now.paths_ignore,
      push_commits: now.push_commits,
      fork_pull_requests: now.fork_pull_requests,
      measure_tags: now.measure_tags,
    },
  });
  const save = useAction(() => setBranchFilters(project, form.values), { renews: ["branch filters"] });
  return (
    <form className="form" onSubmit={form.onSubmit(() => save.mutate(undefined))}>
      <Textarea
        label="Branches"
        description="One glob a line; empty: the default branch"
        autosize
        defaultValue={now.branches?.join("\n") ?? ""}
        onChange={(event) => form.setFieldValue("branches", lines(event.currentTarget.value))}
      />
      <Textarea
        label="Paths to ignore"
        description="One glob a line. Commits that change only these paths are not measured."
        autosize
        maxRows={8}
        defaultValue={now.paths_ignore?.join("\n") ?? ""}
        onChange={(event) => form.setFieldValue("paths_ignore", lines(event.currentTarget.value) ?? [])}
      />
      <Select
        label="Commits of a push"
        data={PUSH_COMMITS as { value: string; label: string }[]}
        allowDeselect={false}
        {...form.getInputProps("push_commits")}
      />
      <Select
        label="Pull requests from forks"
        description="Their code runs on the bench hosts"
        data={FORKS as { value: string; label: string }[]}
        allowDeselect={false}
        {...form.getInputProps("fork_pull_requests")}
      />
      <Checkbox label="Measure tags" {...form.getInputProps("measure_tags", { type: "checkbox" })} />
      <ActionError error={save.error} />
      {save.isSuccess && <p role="status">Saved.</p>}
      <Button type="submit" loading={save.isPending}>
        Save
      </Button>
    </form>
  );
}
