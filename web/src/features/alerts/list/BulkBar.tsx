// SPDX-License-Identifier: Apache-2.0
/** What may be done with the chosen alerts, all at once. */
import { Button, Modal, Textarea } from "@mantine/core";
import { useState } from "react";
import { ALERT_RENEWS, changeAlerts } from "../../../shared/api/alerts";
import type { Alert, BulkChange } from "../../../shared/api/types";
import { stateInfo, TRIAGE, type Triage } from "../../../shared/logic/alerts";
import { ActionError } from "../../../shared/ui/ActionError";
import type { Done } from "../../../shared/ui/alerts/UndoLine";
import { useAction } from "../../../shared/ui/hooks/useAction";
import { useSession } from "../../../shared/ui/hooks/useSession";

type Request = Omit<BulkChange, "alerts">;

/** "3 alerts: acknowledged, assigned to ada." */
function doneText(count: number, { change, assign }: Request): string {
  const parts = [
    change && stateInfo(change.state).word.toLowerCase(),
    assign && `assigned to ${assign.assignee ?? "nobody"}`,
  ].filter(Boolean);
  return `${count === 1 ? "1 alert" : `${count} alerts`}: ${parts.join(", ")}.`;
}

interface Props {
  project: string;
  chosen: readonly Alert[];
  /** Alerts of the list so far. */
  shown: number;
  onAll: () => void;
  onNone: () => void;
  onDone: (done: Done) => void;
}

export function BulkBar({ project, chosen, shown, onAll, onNone, onDone }: Props) {
  const me = useSession()?.name ?? null;
  const [requested, setRequested] = useState<Triage | null>(null);
  const [why, setWhy] = useState("");
  const act = useAction(
    (request: Request) => changeAlerts(project, { ...request, alerts: chosen.map((one) => one.id) }),
    {
      renews: ALERT_RENEWS,
      onDone: (result, request) => {
        setRequested(null);
        setWhy("");
        if (result.changed.length > 0)
          onDone({ alerts: result.changed, text: doneText(result.changed.length, request) });
        if (result.refused.length === 0) onNone();
      },
    },
  );
  const refused = act.data?.refused ?? [];
  const assignToMe = me === null ? {} : { assign: { assignee: me } };
  return (
    <section className="action-bar panel" aria-label="Chosen alerts">
      <strong>{chosen.length === 1 ? "1 alert chosen" : `${chosen.length} alerts chosen`}</strong>
      <Button
        size="xs"
        loading={act.isPending}
        onClick={() => act.mutate({ change: { state: "acknowledged", why: "acknowledged" }, ...assignToMe })}
      >
        {me === null ? "Acknowledge" : "Acknowledge and assign to me"}
      </Button>
      {me !== null && (
        <Button size="xs" variant="default" loading={act.isPending} onClick={() => act.mutate(assignToMe)}>
          Assign to me
        </Button>
      )}
      {TRIAGE.filter((one) => one.form).map((one) => (
        <Button
          key={one.state}
          size="xs"
          variant="default"
          aria-haspopup="dialog"
          onClick={() => setRequested(one)}
        >
          {one.word}
        </Button>
      ))}
      {chosen.length < shown && (
        <Button size="xs" variant="subtle" onClick={onAll}>
          Choose all {shown} shown
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={onNone}>
        Clear
      </Button>
      <ActionError error={act.error} />
      {refused.length > 0 && (
        <p role="status" className="action-error">
          {refused.length} not changed: {refused[0]?.message}
        </p>
      )}
      <Modal
        opened={requested !== null}
        onClose={() => setRequested(null)}
        title={`${requested?.word.replace("…", "")}: ${chosen.length} alerts`}
        closeButtonProps={{ "aria-label": "Close" }}
        attributes={{ header: { role: "presentation" } }}
      >
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            if (requested) act.mutate({ change: { state: requested.state, why: why.trim() } });
          }}
        >
          <Textarea
            label="Reason"
            required
            autosize
            minRows={2}
            value={why}
            onChange={(event) => setWhy(event.currentTarget.value)}
          />
          <ActionError error={act.error} />
          <Button type="submit" loading={act.isPending} disabled={!why.trim()}>
            {requested?.word.replace("…", "")}
          </Button>
        </form>
      </Modal>
    </section>
  );
}
