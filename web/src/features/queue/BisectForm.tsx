// SPDX-License-Identifier: Apache-2.0
import { Autocomplete, Button } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { BisectDetail, Commit } from "../../shared/api/types";
import { ActionError } from "../../shared/ui/ActionError";
import { CommitPicker } from "../../shared/ui/CommitPicker";
import { useAction } from "../../shared/ui/hooks/useAction";
import { addBisect } from "./api";
import { backfillSize } from "./campaigns";

interface Props {
  project: string;
  commits: readonly Commit[];
  scenarios: readonly string[];
  good: string | undefined;
  bad: string | undefined;
  scenario: string | undefined;
  onDone: (bisect: BisectDetail) => void;
}

/** Finds the commit that changed a scenario's cost, with as few measurements as will do. */
export function BisectForm(props: Props) {
  const { project, commits, scenarios } = props;
  const [good, setGood] = useState(props.good);
  const [bad, setBad] = useState(props.bad ?? commits[0]?.sha);
  const [scenario, setScenario] = useState(props.scenario ?? scenarios[0]);
  const order = commits.map((commit) => commit.sha);
  const size = backfillSize(order, good, bad, 1);
  const ask = useAction(
    () => addBisect(project, { good: good ?? "", bad: bad ?? "", scenario: scenario ?? "" }),
    { renews: ["jobs", "bisects"], onDone: props.onDone },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    ask.mutate(undefined);
  };
  return (
    <form className="form" onSubmit={submit}>
      <CommitPicker label="Good" commits={commits} value={good} onChange={setGood} />
      <CommitPicker label="Bad" commits={commits} value={bad} onChange={setBad} />
      <Autocomplete
        label="Scenario"
        description={scenarios.length === 0 ? "None has been measured yet: one that nalm.toml has" : null}
        required
        data={[...scenarios]}
        value={scenario ?? ""}
        onChange={setScenario}
      />
      {good !== undefined && bad !== undefined && (
        <p role="status" className="soft">
          {size === null
            ? "The good commit must be older than the bad one."
            : `${size} ${size === 1 ? "commit" : "commits"}, about ${Math.ceil(Math.log2(size)) + 1} steps.`}
        </p>
      )}
      <ActionError error={ask.error} />
      <Button type="submit" loading={ask.isPending} disabled={!good || !bad || !scenario}>
        Start the bisect
      </Button>
    </form>
  );
}
