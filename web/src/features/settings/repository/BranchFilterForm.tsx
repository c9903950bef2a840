// SPDX-License-Identifier: Apache-2.0
import { Button, Checkbox, Select, Textarea } from "@mantine/core";
import type { BranchFilterSettings, BranchFilterSettingsShown } from "../../../shared/api/types";
import { lines } from "../../../shared/logic/settings";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { useStoredForm } from "../../../shared/ui/hooks/useStoredForm";
import { SaveState } from "../../../shared/ui/SaveState";
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

type Typed = Omit<BranchFilterSettings, "branches" | "paths_ignore"> & {
  branches: string;
  paths_ignore: string;
};

const filtersOf = ({ branches, paths_ignore, ...rest }: Typed): BranchFilterSettings => ({
  ...rest,
  branches: lines(branches),
  paths_ignore: lines(paths_ignore) ?? [],
});

/** Which commits are measured. */
export function BranchFilterForm({ project, now }: { project: string; now: BranchFilterSettingsShown }) {
  const of = useStoredForm({
    branches: now.branches?.join("\n") ?? "",
    paths_ignore: now.paths_ignore?.join("\n") ?? "",
    push_commits: now.push_commits,
    fork_pull_requests: now.fork_pull_requests,
    measure_tags: now.measure_tags,
  });
  const { form } = of;
  const save = useAction(() => setBranchFilters(project, filtersOf(form.values)), {
    renews: ["branch filters"],
    onDone: of.onSent,
  });
  return (
    <form className="form" onSubmit={form.onSubmit(() => save.mutate(undefined))}>
      <Textarea
        label="Branches"
        description="One glob a line; empty: the default branch"
        autosize
        {...form.getInputProps("branches")}
      />
      <Textarea
        label="Paths to ignore"
        description="One glob a line. Commits that change only these paths are not measured."
        autosize
        maxRows={8}
        {...form.getInputProps("paths_ignore")}
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
      <SaveState save={save} of={of} />
      <Button type="submit" loading={save.isPending}>
        Save
      </Button>
    </form>
  );
}
