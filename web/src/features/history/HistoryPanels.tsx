// SPDX-License-Identifier: Apache-2.0
/** The charts or tables of a history, over the same commits: zooming one zooms all. */
import { Progress } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { alertsQuery } from "../../shared/api/alerts";
import type { Alert } from "../../shared/api/types";
import { ALERT_STATES } from "../../shared/logic/alerts";
import { useHistoryLines } from "./api";
import { HistoryPanel } from "./HistoryPanel";
import { HistoryZoom } from "./HistoryZoom";
import type { HistoryPanelProps } from "./panelProps";
import { type CommitSpan, commitSpans, indexSpans } from "./spans";

type Given = "metric" | "alerts" | "alone" | "spans";

interface Props extends Omit<HistoryPanelProps, Given> {
  /** As the address has it, and how it is told. */
  address: CommitSpan;
  write: (span: CommitSpan) => void;
}

const NONE: readonly Alert[] = [];
const NO_COMMITS: readonly string[] = [];

export function HistoryPanels({ metrics, address, write, ...rest }: Props) {
  const { project, requested, asTable } = rest;
  const { data: every = NONE } = useQuery(alertsQuery(project, { states: ALERT_STATES }));
  const alerts = useMemo(
    () => every.filter((one) => one.scenarios.some((name) => requested.scenarios.includes(name))),
    [every, requested],
  );
  const {
    data: lines,
    isPlaceholderData,
    isFetching,
  } = useHistoryLines(project, metrics[0] ?? "", metrics, requested, rest.values);
  const reading = isFetching && (isPlaceholderData || lines === undefined);
  const latest = useRef(write);
  latest.current = write;
  const [spans] = useState(() => commitSpans(address, (span) => latest.current(span)));
  const { from, to } = address;
  useEffect(() => spans.follow({ from, to }), [spans, from, to]);
  const commits = lines?.commits.sha ?? NO_COMMITS;
  const places = useMemo(() => indexSpans(commits, spans), [commits, spans]);
  return (
    <>
      <div className="history-line">
        <div className="reading soft" role="status">
          {reading ? (
            <>
              <Progress value={100} animated size="xs" aria-label="Reading the history" />
              Reading the history…
            </>
          ) : (
            !asTable && "Drag to zoom, click to open a commit's alert or run."
          )}
        </div>
        {!asTable && commits.length > 0 && <HistoryZoom spans={places} count={commits.length} />}
      </div>
      <div className={metrics.length > 1 && !asTable ? "panel-grid" : "panel-stack"} aria-busy={reading}>
        {metrics.map((metric) => (
          <HistoryPanel
            key={metric}
            {...rest}
            metric={metric}
            metrics={metrics}
            alerts={alerts}
            alone={metrics.length === 1}
            spans={spans}
          />
        ))}
      </div>
    </>
  );
}
