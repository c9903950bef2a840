// SPDX-License-Identifier: Apache-2.0
import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { addExperiment } from "../../api/experiments";
import type { ExperimentKind } from "../../api/types";
import { FIELDS, readParameters } from "../../logic/run/experimentParameters";
import { eachOf } from "../../logic/run/experiments";
import { ActionError } from "../ActionError";
import { useAction } from "../hooks/useAction";
import { useMay } from "../hooks/useSession";

/** Starts an experiment, by default on the default branch's tip, of all tables; for those who may not, the command of those who may. */
export function RequestExperiment({ project, kind }: { project: string; kind: ExperimentKind }) {
  const allowed = useMay(project, "developer");
  const [revision, setRevision] = useState("");
  const [names, setNames] = useState("");
  const [seconds, setSeconds] = useState("");
  const [texts, setTexts] = useState<Record<string, string>>({});
  const { parameters, wrong } = readParameters(kind, texts);
  const ask = useAction(
    () =>
      addExperiment(project, {
        kind,
        names: names.split(/[\s,]+/).filter(Boolean),
        revision: revision.trim() || null,
        cell_seconds: Number(seconds) || null,
        parameters,
      }),
    { renews: ["experiments", "jobs"] },
  );
  if (!allowed) return <code className="command">{`nalm-server experiment ${project} ${kind}`}</code>;
  return (
    <div className="form-line centered">
      <TextInput
        size="xs"
        label="Commit"
        placeholder="tip of the default branch"
        value={revision}
        onChange={(event) => setRevision(event.currentTarget.value)}
      />
      <TextInput
        size="xs"
        label="Tables of nalm.toml"
        placeholder="all of its kind"
        value={names}
        onChange={(event) => setNames(event.currentTarget.value)}
      />
      <details className="parameters">
        <summary>Parameters</summary>
        <div className="form-line">
          <TextInput
            size="xs"
            label={`Seconds for each ${eachOf(kind)}`}
            placeholder="the agent's default"
            value={seconds}
            onChange={(event) => setSeconds(event.currentTarget.value)}
          />
          {FIELDS[kind]?.map(({ name, label, otherwise }) => (
            <TextInput
              key={name}
              size="xs"
              label={label}
              placeholder={otherwise}
              value={texts[name] ?? ""}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setTexts((before) => ({ ...before, [name]: value }));
              }}
            />
          ))}
        </div>
      </details>
      {wrong && <p role="alert">{wrong}</p>}
      <Button
        size="xs"
        variant="default"
        disabled={wrong !== null}
        loading={ask.isPending}
        onClick={() => ask.mutate(undefined)}
        aria-label={`Run an experiment of kind ${kind}`}
      >
        Run an experiment
      </Button>
      <ActionError error={ask.error} />
    </div>
  );
}
