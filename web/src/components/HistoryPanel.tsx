// SPDX-License-Identifier: Apache-2.0
/** One metric's chart or table, with its own loading, empty and failed state. */
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { alertsQuery } from "../api/alerts";
import { historyQuery } from "../api/queries";
import type { Alert, History, HistoryPoint } from "../api/types";
import { ALERT_STATES } from "../logic/alerts";
import { figure, MISSING, moment } from "../logic/format";
import { columns, marks, presentStages, type Scale } from "../logic/history";
import { eventMarks, eventsAt, type HistoryEvent } from "../logic/historyEvents";
import { CHAIN, stageInk } from "../logic/palette";
import type { HistoryMetric } from "../logic/search";
import { MetricName } from "./Help";
import { HistoryChart } from "./HistoryChart";
import { HistoryTable } from "./HistoryTable";
import { MarkLegend } from "./MarkLegend";
import { Panel } from "./Panel";
import { VerdictWord } from "./VerdictBadge";

/** Costs that add up start at 0, so that heights compare; a ratio such as eIPC does not. */
const FROM_ZERO = new Set(["cpp", "ipp"]);

interface Props {
  project: string;
  scenario: string;
  metric: HistoryMetric;
  hostClass: string | undefined;
  /** All stages, chain first: they fix the colours. */
  stages: readonly string[];
  shown: readonly string[];
  scale: Scale;
  asTable: boolean;
  /** The only chart of the page may be larger. */
  alone: boolean;
}

export function HistoryPanel(props: Props) {
  const { project, scenario, metric, hostClass } = props;
  const { data: history, error } = useQuery(historyQuery(project, scenario, metric, hostClass));
  const { data: alerts = NONE } = useQuery(alertsQuery(project, { states: ALERT_STATES, scenario }));
  const unit = history && history.metric.unit !== "1" ? history.metric.unit : "";
  const aside = <span className="soft">{[unit, history?.host_class].filter(Boolean).join(" · ")}</span>;
  return (
    <Panel title={<MetricName name={metric} />} aside={aside}>
      {history ? (
        <Drawn {...props} history={history} alerts={alerts} />
      ) : error ? (
        <p role="alert">{error.message}</p>
      ) : (
        <Skeleton height={270} />
      )}
    </Panel>
  );
}

const NONE: readonly Alert[] = [];

interface DrawnProps extends Props {
  history: History;
  alerts: readonly Alert[];
}

function Drawn({ project, stages, shown, scale, asTable, alone, history, alerts }: DrawnProps) {
  const navigate = useNavigate();
  const { points } = history;
  const wanted = shown.join();
  const drawn = useMemo(() => presentStages(points, wanted.split(",")), [points, wanted]);
  const data = useMemo(() => columns(points, drawn, scale), [points, drawn, scale]);
  const found = useMemo(
    () => [...marks(points), ...eventMarks(points, history, alerts)],
    [points, history, alerts],
  );
  if (points.length === 0) return <p className="soft">No figure of this metric yet.</p>;
  if (drawn.length === 0)
    return (
      <p className="soft">{`Not known for ${shown.join(", ")}: only the ${CHAIN} has it, or no counter gave it.`}</p>
    );
  if (asTable) return <HistoryTable project={project} history={history} stages={drawn} alerts={alerts} />;

  const open = (index: number): void => {
    const point = points[index];
    if (point === undefined) return;
    const alert = eventsAt(point.sha, history, alerts).find((one) => one.kind === "alert");
    if (alert) {
      navigate({ to: "/p/$project/alerts/$id", params: { project, id: String(alert.alertId) } });
      return;
    }
    const search = {
      head: point.sha,
      scenario: history.scenario,
      ...(point.base_sha ? { base: point.base_sha } : {}),
    };
    navigate({ to: "/p/$project/compare", params: { project }, search });
  };
  return (
    <>
      <HistoryChart
        data={data}
        marks={found}
        allStages={stages}
        tickLabel={(index) => points[index]?.short_sha ?? ""}
        scale={scale}
        fromZero={scale === "absolute" && drawn.length > 1 && FROM_ZERO.has(history.metric.name)}
        height={alone ? 400 : 260}
        label={`${history.metric.title} of ${drawn.join(", ")} over ${points.length} commits. The table view has the figures.`}
        onPick={open}
        tip={(index) => (
          <Tip
            point={points[index]}
            unit={history.metric.unit}
            drawn={drawn}
            stages={stages}
            events={eventsAt(points[index]?.sha ?? "", history, alerts)}
          />
        )}
      />
      <MarkLegend marks={found} />
    </>
  );
}

interface TipProps {
  point: HistoryPoint | undefined;
  unit: string;
  drawn: readonly string[];
  stages: readonly string[];
  events: readonly HistoryEvent[];
}

function Tip({ point, unit, drawn, stages, events }: TipProps) {
  if (point === undefined) return null;
  const dark = document.documentElement.dataset.mantineColorScheme === "dark";
  return (
    <>
      <VerdictWord display={point.display} />
      <div style={{ fontWeight: 600, marginTop: 4 }}>{point.subject}</div>
      <div className="soft">
        <span className="mono">{point.short_sha}</span>
        {point.committed_at && ` · ${moment(point.committed_at)}`}
      </div>
      <table>
        <tbody>
          {drawn.map((stage) => (
            <tr key={stage}>
              <td style={{ color: stageInk(stage, stages, dark).color, fontWeight: 600 }}>{stage}</td>
              <td>{figure(point.values[stage]?.value, unit) || MISSING}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {events.map((one) => (
        <div key={one.key} className="tip-event">
          {one.text}
        </div>
      ))}
    </>
  );
}
