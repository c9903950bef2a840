// SPDX-License-Identifier: Apache-2.0
import { Button, NumberInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Backfill, Commit } from "../../shared/api/types";
import { ActionError } from "../../shared/ui/ActionError";
import { CommitPicker } from "../../shared/ui/CommitPicker";
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
  const [first, setFirst] = useState(commits.at(-1)?.sha);
  const [last, setLast] = useState(commits[0]?.sha);
  const [every, setEvery] = useState(1);
  const order = commits.map((commit) => commit.sha);
  const size = backfillSize(order, first, last, every);
  const ask = useAction(() => addBackfill(project, { first: first ?? "", last: last ?? "", every }), {
    renews: ["jobs", "backfills"],
    onDone,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    ask.mutate(undefined);
  };
  return (
    <form className="form" onSubmit={submit}>
      <CommitPicker label="After" commits={commits} value={first} onChange={setFirst} />
      <CommitPicker label="Up to" commits={commits} value={last} onChange={setLast} />
      <NumberInput
        label="Every"
        description="1 is each commit, 10 each tenth"
        min={1}
        max={10_000}
        allowDecimal={false}
        value={every}
        onChange={(value) => setEvery(Number(value) || 1)}
      />
      <p role="status" className={size === null ? "held" : "soft"}>
        {size === null
          ? "Choose an older commit to begin after than to end with."
          : `${size} ${size === 1 ? "commit is" : "commits are"} measured, but for those that were already.`}
      </p>
      <ActionError error={ask.error} />
      <Button type="submit" loading={ask.isPending} disabled={size === null}>
        Start the backfill
      </Button>
    </form>
  );
}
