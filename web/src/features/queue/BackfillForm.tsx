// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Backfill, Commit } from "../../shared/api/types";
import { ActionError } from "../../shared/ui/ActionError";
import { CommitPicker } from "../../shared/ui/fields/CommitPicker";
import { NumberField } from "../../shared/ui/fields/NumberField";
import { useAction } from "../../shared/ui/hooks/useAction";
import { addBackfill } from "./api";
import { backfillSize } from "./campaigns";

interface Props {
  project: string;
  commits: readonly Commit[];
  onDone: (backfill: Backfill) => void;
}

/** A range, or every Nth commit of it, measured when nothing else waits. */
export function BackfillForm({ project, commits, onDone }: Props) {
  const form = useForm({ initialValues: { first: commits.at(-1)?.sha, last: commits[0]?.sha, every: 1 } });
  const { first, last, every } = form.values;
  const order = commits.map((commit) => commit.sha);
  const size = backfillSize(order, first, last, every);
  const start = useAction(() => addBackfill(project, { first: first ?? "", last: last ?? "", every }), {
    renews: ["jobs", "backfills"],
    onDone,
  });
  return (
    <form className="form" onSubmit={form.onSubmit(() => start.mutate(undefined))}>
      <CommitPicker
        label="After"
        commits={commits}
        value={first}
        onChange={(next) => form.setFieldValue("first", next)}
      />
      <CommitPicker
        label="Up to"
        commits={commits}
        value={last}
        onChange={(next) => form.setFieldValue("last", next)}
      />
      <NumberField
        label="Every"
        description="1 is each commit, 10 each tenth"
        min={1}
        max={10_000}
        allowDecimal={false}
        value={every}
        onChange={(value) => form.setFieldValue("every", value)}
      />
      <p role="status" className={size === null ? "held" : "soft"}>
        {size === null
          ? "The first commit must be older than the last one."
          : `${size} ${size === 1 ? "commit is" : "commits are"} measured, but for those that were already.`}
      </p>
      <ActionError error={start.error} />
      <Button type="submit" loading={start.isPending} disabled={size === null}>
        Start the backfill
      </Button>
    </form>
  );
}
