// SPDX-License-Identifier: Apache-2.0
/** Whether the findings of a pull request's run are accepted, by whom and why; the form for those who may. */
import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { acceptanceQuery, acceptRun } from "../../shared/api/alerts";
import { change, moment } from "../../shared/logic/text/format";
import { ratio } from "../../shared/logic/text/units";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useMay } from "../../shared/ui/hooks/useSession";
import { Panel } from "../../shared/ui/Panel";
import { FailedPart } from "../../shared/ui/States";

export function AcceptancePanel({ project, runId }: { project: string; runId: string }) {
  const { data, error, refetch } = useQuery(acceptanceQuery(runId));
  if (data === undefined && error !== null)
    return (
      <Panel title="Acceptance">
        <FailedPart error={error} onRetry={refetch} />
      </Panel>
    );
  if (data === undefined || !(data.possible || data.expectations.length > 0)) return null;
  return (
    <Panel title="Acceptance">
      {data.expectations.map((one) => (
        <p key={one.id}>
          {one.metric} {one.bound === null ? "by any size" : `up to ${change(ratio(one.bound))}`} accepted by{" "}
          {one.who}, {moment(one.created_at)}: {one.reason}
        </p>
      ))}
      {!data.accepted && data.expectations.length > 0 && (
        <p className="held">This run found more than was accepted.</p>
      )}
      {!data.accepted && data.possible && <AcceptForm project={project} runId={runId} />}
    </Panel>
  );
}

function AcceptForm({ project, runId }: { project: string; runId: string }) {
  const allowed = useMay(project, "maintainer");
  const [why, setWhy] = useState("");
  const accept = useAction(() => acceptRun(runId, why), { renews: ["acceptance"] });
  if (!allowed) return <p className="soft">A maintainer of the project may accept what this run found.</p>;
  return (
    <form
      className="form-line"
      onSubmit={(event) => {
        event.preventDefault();
        accept.mutate(undefined);
      }}
    >
      <TextInput
        label="Why this is acceptable"
        required
        w={420}
        value={why}
        onChange={(event) => setWhy(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={accept.isPending} disabled={!why.trim()}>
        Accept
      </Button>
      <ActionError error={accept.error} />
    </form>
  );
}
