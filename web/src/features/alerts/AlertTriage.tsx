// SPDX-License-Identifier: Apache-2.0
/** What may be done with a finding: buttons, the keys of the same, and the dialogs of those that need words. */
import { Button, Modal } from "@mantine/core";
import { ALERT_RENEWS, changeAlerts } from "../../shared/api/alerts";
import type { AlertDetail } from "../../shared/api/types";
import { stateInfo, TRIAGE, type Triage, triageOf } from "../../shared/logic/alerts";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useKeptFocus } from "../../shared/ui/hooks/useKeptFocus";
import { useKeys } from "../../shared/ui/hooks/useKeys";
import { useSession } from "../../shared/ui/hooks/useSession";
import { MuteForm } from "./MuteForm";
import type { AlertDialog } from "./search";
import { TriageForm } from "./TriageForm";

interface Props {
  alert: AlertDetail;
  /** The dialog of the address. */
  open: AlertDialog | undefined;
  onOpen: (dialog: AlertDialog | undefined) => void;
  onDone: (text: string) => void;
}

export function AlertTriage({ alert, open, onOpen, onDone }: Props) {
  const kept = useKeptFocus<HTMLSpanElement>();
  const offered = triageOf(alert);
  const me = useSession()?.name ?? null;
  const mine = me !== null && alert.assignee === null;
  const acknowledge = useAction(
    async () => {
      const { refused } = await changeAlerts(alert.project, {
        alerts: [alert.id],
        change: { state: "acknowledged", why: "acknowledged" },
        ...(mine ? { assign: { assignee: me } } : {}),
      });
      if (refused[0]) throw new Error(refused[0].message);
    },
    {
      renews: ALERT_RENEWS,
      onDone: () => onDone(mine ? "Acknowledged and assigned to you." : "Acknowledged."),
    },
  );
  const act = (one: Triage): void => {
    if (!offered.includes(one)) return;
    if (one.form) onOpen(one.state);
    else acknowledge.mutate(undefined);
  };
  const keys = TRIAGE.map((one) => [one.key, () => act(one)] as const);
  useKeys({ ...Object.fromEntries(keys), m: () => onOpen("mute") });
  const requested = TRIAGE.find((one) => one.state === open);
  return (
    <>
      <span className="actions" {...kept}>
        {offered.map((one) => (
          <Button
            key={one.state}
            size="xs"
            variant={one.state === "acknowledged" ? "filled" : "default"}
            loading={one.state === "acknowledged" && acknowledge.isPending}
            aria-haspopup={one.form ? "dialog" : undefined}
            aria-keyshortcuts={one.key}
            onClick={() => act(one)}
          >
            {one.word}{" "}
            <span className="key-hint" aria-hidden="true">
              {one.key}
            </span>
          </Button>
        ))}
        <Button
          size="xs"
          variant="default"
          aria-haspopup="dialog"
          aria-keyshortcuts="m"
          onClick={() => onOpen("mute")}
        >
          Mute…{" "}
          <span className="key-hint" aria-hidden="true">
            m
          </span>
        </Button>
      </span>
      <ActionError error={acknowledge.error} />
      <Modal
        opened={open === "mute" || requested?.form === true}
        onClose={() => onOpen(undefined)}
        title={
          open === "mute"
            ? "Mute a scenario"
            : `Alert ${alert.id}: ${requested?.word.replace("…", "").toLowerCase()}`
        }
        closeButtonProps={{ "aria-label": "Close" }}
        attributes={{ header: { role: "presentation" } }}
      >
        {open === "mute" ? (
          <MuteForm
            project={alert.project}
            scenarios={alert.scenarios}
            scenario={alert.scenario ?? undefined}
            onDone={() => onOpen(undefined)}
          />
        ) : (
          requested?.form && (
            <TriageForm
              key={requested.state}
              alert={alert}
              requested={requested}
              onDone={() => {
                onOpen(undefined);
                onDone(`${stateInfo(requested.state).word}: set.`);
              }}
            />
          )
        )}
      </Modal>
    </>
  );
}
