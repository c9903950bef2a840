// SPDX-License-Identifier: Apache-2.0
import { Autocomplete, Button, Select } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { BisectDetail, Commit } from "../../shared/api/types";
import { ActionError } from "../../shared/ui/ActionError";
import { CommitPicker } from "../../shared/ui/fields/CommitPicker";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useMetrics } from "../../shared/ui/hooks/useMetrics";
import { addBisect } from "./api";
import { backfillSize } from "./campaigns";

interface Props {
  project: string;
  commits: readonly Commit[];
  scenarios: readonly string[];
  good: string | undefined;
  bad: string | undefined;
  scenario: string | undefined;
  metric: string | undefined;
  onDone: (bisect: BisectDetail) => void;
}

/** Finds the commit that changed a scenario's cost, or one of its figures, with as few measurements as will do. */
export function BisectForm(props: Props) {
  const { project, commits, scenarios } = props;
  const form = useForm({
    initialValues: {
      good: props.good,
      bad: props.bad ?? commits[0]?.sha,
      scenario: props.scenario ?? scenarios[0] ?? "",
      metric: props.metric ?? null,
    },
  });
  const metrics = useMetrics(project);
  const { good, bad, scenario, metric } = form.values;
  const order = commits.map((commit) => commit.sha);
  const size = backfillSize(order, good, bad, 1);
  const start = useAction(() => addBisect(project, { good: good ?? "", bad: bad ?? "", scenario, metric }), {
    renews: ["jobs", "bisects"],
    onDone: props.onDone,
  });
  return (
    <form className="form" onSubmit={form.onSubmit(() => start.mutate(undefined))}>
      <CommitPicker
        label="Good"
        commits={commits}
        value={good}
        onChange={(next) => form.setFieldValue("good", next)}
      />
      <CommitPicker
        label="Bad"
        commits={commits}
        value={bad}
        onChange={(next) => form.setFieldValue("bad", next)}
      />
      <Autocomplete
        label="Scenario"
        description={scenarios.length === 0 ? "None has been measured yet: one that nalm.toml has" : null}
        required
        data={[...scenarios]}
        {...form.getInputProps("scenario")}
      />
      <Select
        label="Figure"
        description="Empty: what decides the runs; of rates and soaks, the worst figure"
        clearable
        searchable
        data={metrics.map((one) => ({ value: one.name, label: one.title }))}
        {...form.getInputProps("metric")}
      />
      {good !== undefined && bad !== undefined && (
        <p role="status" className="soft">
          {size === null
            ? "The good commit must be older than the bad one."
            : `${size} ${size === 1 ? "commit" : "commits"}, about ${Math.ceil(Math.log2(size)) + 1} steps.`}
        </p>
      )}
      <ActionError error={start.error} />
      <Button type="submit" loading={start.isPending} disabled={!good || !bad || !scenario}>
        Start the bisection
      </Button>
    </form>
  );
}
