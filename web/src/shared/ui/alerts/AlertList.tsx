// SPDX-License-Identifier: Apache-2.0
import type { Alert } from "../../api/types";
import { reachOf } from "../../logic/alerts";
import { useNow } from "../hooks/useNow";
import { AlertRow } from "./AlertRow";

interface Props {
  alerts: readonly Alert[];
  label: string;
  /** Of several projects: each is told. */
  projects?: boolean;
  onFocus?: (alert: Alert) => void;
}

/** Findings in the order given, drawn to one scale. */
export function AlertList({ alerts, label, projects = false, onFocus }: Props) {
  const now = useNow();
  const reach = reachOf(alerts.flatMap((one) => [one.ratio, one.high]));
  return (
    <ol className="commits" aria-label={label}>
      {alerts.map((alert) => (
        <AlertRow
          key={alert.id}
          alert={alert}
          now={now}
          reach={reach}
          named={projects}
          {...(onFocus ? { onFocus: () => onFocus(alert) } : {})}
        />
      ))}
    </ol>
  );
}
