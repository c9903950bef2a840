// SPDX-License-Identifier: Apache-2.0
import { useRef, useState } from "react";
import type { Alert } from "../../../shared/api/types";
import { withRange } from "./selection";

/** Chosen alerts of a list; those that left the list are no longer chosen. */
export function useSelection(order: readonly Alert[]) {
  const [marked, setMarked] = useState<ReadonlySet<number>>(new Set());
  const last = useRef<number | null>(null);
  const ids = order.map((one) => one.id);
  const chosen = new Set(ids.filter((id) => marked.has(id)));
  return {
    chosen: chosen as ReadonlySet<number>,
    toggle: (alert: Alert, range: boolean): void => {
      setMarked(withRange(chosen, ids, alert.id, range ? last.current : null));
      last.current = alert.id;
    },
    choose: (alerts: readonly Alert[]): void => setMarked(new Set(alerts.map((one) => one.id))),
  };
}
