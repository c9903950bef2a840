// SPDX-License-Identifier: Apache-2.0
/** How the finding was measured again, live while it is, and the buttons that ask for more. */
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ALERT_RENEWS, bisectAlert, isMoving, measureAlertAgain } from "../../shared/api/alerts";
import type { JobChange } from "../../shared/api/live";
import type { AlertDetail } from "../../shared/api/types";
import { isActiveAlert, planText } from "../../shared/logic/alerts";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useKeys } from "../../shared/ui/hooks/useKeys";
import { useLive } from "../../shared/ui/hooks/useLive";
import { useMay } from "../../shared/ui/hooks/useSession";
import { LiveMark } from "../../shared/ui/LiveMark";
import { ConfirmationTable } from "./ConfirmationTable";

export function AlertConfirmation({ alert }: { alert: AlertDetail }) {
  const { confirming } = alert;
  const [reported, setReported] = useState<ReadonlyMap<number, JobChange>>(new Map());
  return (
    <>
      {isMoving(alert) && (
        <Following
          alert={alert}
          onJob={(change) => setReported((before) => new Map(before).set(change.id, change))}
        />
      )}
      {confirming === null ? (
        <p className="soft">Not measured again.</p>
      ) : (
        <>
          <p className="said" role="status">
            {planText(alert, confirming)}
          </p>
          {confirming.host_specific && (
            <p>
              Specific to hosts: seen on {confirming.reproduced_on.join(", ")}, not on{" "}
              {confirming.not_reproduced_on.join(", ")}.
            </p>
          )}
          {confirming.gradual && <p>The change is gradual. No single commit caused it.</p>}
          <ConfirmationTable
            project={alert.project}
            measurements={confirming.measurements}
            reported={reported}
          />
        </>
      )}
      <Asking alert={alert} />
    </>
  );
}

/** Mounted only while something is measured: follows the project's jobs. */
function Following({ alert, onJob }: { alert: AlertDetail; onJob: (change: JobChange) => void }) {
  const queries = useQueryClient();
  const [states] = useState(() => new Map<number, string>());
  const jobs = new Set((alert.confirming?.measurements ?? []).map((one) => one.job_id));
  const live = useLive({ project: alert.project }, (change) => {
    if (jobs.has(change.id)) onJob(change);
    if (states.get(change.id) === change.state) return;
    states.set(change.id, change.state);
    queries.invalidateQueries({ queryKey: ["alert", alert.id] });
  });
  return (
    <p className="live-line">
      <LiveMark live={live} />
    </p>
  );
}

const NO_KEYS = {};

function Asking({ alert }: { alert: AlertDetail }) {
  const allowed = useMay(alert.project, "developer");
  const renews = [...ALERT_RENEWS, "jobs", "bisects"];
  const again = useAction(() => measureAlertAgain(alert.id), { renews });
  const search = useAction(() => bisectAlert(alert.id), { renews });
  const offered = allowed && isActiveAlert(alert) && !isMoving(alert);
  useKeys(offered ? { n: () => again.mutate(undefined), b: () => search.mutate(undefined) } : NO_KEYS);
  if (!offered) return null;
  return (
    <div className="form-line spaced">
      <Button
        size="xs"
        variant="default"
        aria-keyshortcuts="n"
        loading={again.isPending}
        onClick={() => again.mutate(undefined)}
      >
        Measure again
      </Button>
      <Button
        size="xs"
        variant="default"
        aria-keyshortcuts="b"
        loading={search.isPending}
        onClick={() => search.mutate(undefined)}
      >
        Bisect
      </Button>
      <ActionError error={again.error ?? search.error} />
    </div>
  );
}
