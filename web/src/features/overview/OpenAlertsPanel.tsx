// SPDX-License-Identifier: Apache-2.0
import type { UseQueryResult } from "@tanstack/react-query";
import type { Overview } from "../../shared/api/types";
import { AlertList } from "../../shared/ui/alerts/AlertList";
import { QueryPanel } from "./QueryPanel";

/** Findings that were notified and are not settled, of all projects, the most severe first. */
export function OpenAlertsPanel({ query }: { query: UseQueryResult<Overview> }) {
  return (
    <QueryPanel title="Open alerts, by severity" aside={<Shown of={query.data} />} query={query}>
      {({ alerts }) =>
        alerts.length === 0 ? (
          <p className="soft query-says">No alert is open.</p>
        ) : (
          <AlertList alerts={alerts} label="Open alerts" projects />
        )
      }
    </QueryPanel>
  );
}

function Shown({ of }: { of: Overview | undefined }) {
  if (of === undefined || of.alerts_open <= of.alerts.length) return null;
  return (
    <span className="soft">
      {of.alerts.length} of {of.alerts_open}
    </span>
  );
}
