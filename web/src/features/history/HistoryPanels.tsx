// SPDX-License-Identifier: Apache-2.0
/** The charts or tables of a history, over the same commits: zooming one zooms all. */
import { useQuery } from "@tanstack/react-query";
import { alertsQuery } from "../../shared/api/alerts";
import { linesQuery } from "../../shared/api/queries";
import type { Alert } from "../../shared/api/types";
import { ALERT_STATES } from "../../shared/logic/alerts";
import { HistoryPanel } from "./HistoryPanel";
import { HistoryZoom } from "./HistoryZoom";
import type { HistoryPanelProps } from "./panelProps";
import { type CommitSpan, useCommitSpan } from "./useCommitSpan";
import { useIndexSpan } from "./useIndexSpan";

type Given = "metric" | "alerts" | "alone" | "span" | "onSpan";

interface Props extends Omit<HistoryPanelProps, Given> {
  metrics: readonly string[];
  /** As the address has it, and how it is told. */
  address: CommitSpan;
  write: (span: CommitSpan) => void;
}

const NONE: readonly Alert[] = [];
const NO_COMMITS: readonly string[] = [];

export function HistoryPanels({ metrics, address, write, ...rest }: Props) {
  const { project, wanted, asTable } = rest;
  const { data: alerts = NONE } = useQuery(alertsQuery(project, { states: ALERT_STATES }));
  const { data: lines } = useQuery(linesQuery(project, metrics[0] ?? "", wanted));
  const [shown, show] = useCommitSpan(address, write);
  const commits = lines?.commits.sha ?? NO_COMMITS;
  const [span, setSpan] = useIndexSpan(commits, shown, show);
  return (
    <>
      {!asTable && commits.length > 0 && <HistoryZoom span={span} count={commits.length} onSpan={setSpan} />}
      <div className={metrics.length > 1 && !asTable ? "panel-grid" : ""}>
        {metrics.map((metric) => (
          <HistoryPanel
            key={metric}
            {...rest}
            metric={metric}
            alerts={alerts}
            alone={metrics.length === 1}
            span={shown}
            onSpan={show}
          />
        ))}
      </div>
    </>
  );
}
