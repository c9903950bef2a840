// SPDX-License-Identifier: Apache-2.0
/** What was just done with alerts, and the way back. It stays until something else is done. */
import { Button } from "@mantine/core";
import { ALERT_RENEWS, undoAlerts } from "../../api/alerts";
import { ActionError } from "../ActionError";
import { useAction } from "../hooks/useAction";
import { useKeys } from "../hooks/useKeys";

/** A change that can be undone. */
export interface Done {
  alerts: number[];
  /** As a sentence: "3 alerts: acknowledged." */
  text: string;
}

interface Props {
  project: string;
  done: Done;
  onUndone: () => void;
}

export function UndoLine({ project, done, onUndone }: Props) {
  const undo = useAction(() => undoAlerts(project, done.alerts), {
    renews: ALERT_RENEWS,
    onDone: ({ refused }) => {
      if (refused.length === 0) onUndone();
    },
  });
  const refused = undo.data?.refused[0];
  useKeys({ u: () => undo.mutate(undefined) });
  return (
    <div className="undo-line">
      <span role="status">{done.text}</span>
      <Button
        size="compact-sm"
        variant="default"
        aria-keyshortcuts="u"
        loading={undo.isPending}
        onClick={() => undo.mutate(undefined)}
      >
        Undo{" "}
        <span className="key-hint" aria-hidden="true">
          u
        </span>
      </Button>
      <ActionError error={undo.error} />
      {refused && (
        <span role="alert" className="action-error">
          {refused.message}
        </span>
      )}
    </div>
  );
}
