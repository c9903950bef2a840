// SPDX-License-Identifier: Apache-2.0
import type { Alert } from "../../api/types";
import { reachOf, shortNames } from "../../logic/alerts";
import { useNow } from "../hooks/useNow";
import { VirtualList } from "../lists/VirtualList";
import { AlertRow, type Selection } from "./AlertRow";

interface Props {
  alerts: readonly Alert[];
  label: string;
  /** Of several projects: each is told. */
  projects?: boolean;
  onFocus?: (alert: Alert) => void;
  /** Rows can be chosen. */
  selection?: Selection | undefined;
  /** The end of the list is near. */
  onEnd?: (() => void) | undefined;
}

const ROW_HEIGHT = 72;

/** Findings in the order given, drawn to one scale. */
export function AlertList({ alerts, label, projects = false, onFocus, selection, onEnd }: Props) {
  const now = useNow();
  const reach = reachOf(alerts.flatMap((one) => [one.ratio, one.high]));
  const nameOf = shortNames(alerts.flatMap((one) => one.scenarios));
  return (
    <VirtualList
      items={alerts}
      keyOf={(alert) => alert.id}
      label={label}
      className="commits"
      rowHeight={ROW_HEIGHT}
      onEnd={onEnd}
    >
      {(alert, _index, place) => (
        <AlertRow
          key={alert.id}
          alert={alert}
          now={now}
          reach={reach}
          nameOf={nameOf}
          named={projects}
          place={place}
          selection={selection}
          {...(onFocus ? { onFocus: () => onFocus(alert) } : {})}
        />
      )}
    </VirtualList>
  );
}
