// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { measure } from "../../api/jobs";
import { kindOf } from "../../logic/run/kinds";
import { ActionError } from "../ActionError";
import { useAction } from "../hooks/useAction";
import { useKeptFocus } from "../hooks/useKeptFocus";
import { useMay } from "../hooks/useSession";

interface Props {
  project: string;
  base: string;
  head: string;
  scenario?: string | undefined;
}

/** Measures a pair side by side, before everything nobody waits for; for others, the command. */
export function MeasurePair({ project, base, head, scenario }: Props) {
  const [job, setJob] = useState<number | null>(null);
  const kept = useKeptFocus<HTMLDivElement>();
  const kind = scenario ? kindOf(scenario) : "cycles";
  const scenarios = scenario ? [scenario] : null;
  const ask = useAction(() => measure(project, { head, base, kind, scenarios }), {
    renews: ["jobs", "commits"],
    onDone: (made) => setJob(made.id),
  });
  if (!useMay(project, "developer"))
    return (
      <code className="command">{`nalm check --base ${base.slice(0, 12)} --head ${head.slice(0, 12)}`}</code>
    );
  return (
    <div className="form-line" {...kept}>
      {job === null ? (
        <Button size="xs" variant="default" loading={ask.isPending} onClick={() => ask.mutate(undefined)}>
          Measure the two side by side
        </Button>
      ) : (
        <Link to="/jobs/$jobId" params={{ jobId: String(job) }}>
          Job {job} measures them
        </Link>
      )}
      <Link to="/p/$project/measure" params={{ project }} search={{ kind: "backfill" }}>
        Or backfill a range
      </Link>
      <ActionError error={ask.error} />
    </div>
  );
}
