// SPDX-License-Identifier: Apache-2.0
/** The history around the culprit: what came before, and what after. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { historyQuery } from "../../shared/api/queries";
import type { Alert, History } from "../../shared/api/types";
import { HistoryChart } from "../../shared/charts/HistoryChart";
import { MarkLegend } from "../../shared/charts/MarkLegend";
import { SeriesLegend } from "../../shared/charts/SeriesLegend";
import { around, columns, marks, presentStages } from "../../shared/logic/charts/history";
import { eventMarks } from "../../shared/logic/charts/historyEvents";
import { CHAIN } from "../../shared/logic/charts/palette";
import { figure, moment } from "../../shared/logic/text/format";
import { VerdictWord } from "../../shared/ui/run/VerdictBadge";
import { Loading } from "../../shared/ui/States";

interface Props {
  alert: Alert;
  scenario: string;
  hostClass: string | undefined;
  /** Whose values are drawn. */
  metric: string;
}

/** Commits shown on each side of the culprit. */
const EACH_SIDE = 25;

export function AlertHistory({ alert, scenario, hostClass, metric }: Props) {
  const { data: history, error } = useQuery(historyQuery(alert.project, scenario, metric, hostClass));
  if (history === undefined)
    return error ? <p role="alert">The history could not be read: {error.message}</p> : <Loading rows={3} />;
  if (history.points.length === 0) return <p className="soft">No history of {scenario} yet.</p>;
  return <Drawn alert={alert} history={history} />;
}

function Drawn({ alert, history }: { alert: Alert; history: History }) {
  const { project } = alert;
  const navigate = useNavigate();
  const points = useMemo(
    () =>
      around(
        history.points,
        history.points.findIndex((one) => one.sha === alert.sha),
        EACH_SIDE,
      ),
    [history, alert.sha],
  );
  const stage = alert.stage && alert.stage !== CHAIN ? [alert.stage] : [];
  const requested = [CHAIN, ...stage].join();
  const drawn = useMemo(() => presentStages(points, requested.split(",")), [points, requested]);
  const data = useMemo(() => columns(points, drawn, "absolute"), [points, drawn]);
  const found = useMemo(
    () => [...marks(points), ...eventMarks(points, history, [alert])],
    [points, history, alert],
  );
  const open = (index: number): void => {
    const point = points[index];
    if (point)
      navigate({
        to: "/p/$project/compare",
        params: { project },
        search: {
          head: point.sha,
          scenario: history.scenario,
          ...(point.base_sha ? { base: point.base_sha } : {}),
        },
      });
  };
  return (
    <>
      <HistoryChart
        data={data}
        marks={found}
        allStages={history.stages}
        tickLabel={(index) => points[index]?.short_sha ?? ""}
        scale="absolute"
        fromZero={false}
        height={230}
        label={`${history.metric.title} of ${drawn.join(" and ")} in ${history.scenario}, ${points.length} commits around the culprit`}
        onPick={open}
        tip={(index) => {
          const point = points[index];
          return (
            point && (
              <>
                <VerdictWord display={point.display} />
                <div className="strong">{point.subject}</div>
                <div className="soft">
                  <span className="mono">{point.short_sha}</span>
                  {point.committed_at && ` · ${moment(point.committed_at)}`}
                </div>
                {drawn.map((name) => (
                  <div key={name}>
                    {name} {figure(point.values[name]?.value, history.metric.unit)}
                  </div>
                ))}
              </>
            )
          );
        }}
      />
      <SeriesLegend series={drawn} of={history.stages} />
      <MarkLegend marks={found} />
      <p className="small">
        <Link
          to="/p/$project/history"
          params={{ project }}
          search={{ scenario: history.scenario, metric: history.metric.name, view: "table" }}
        >
          All figures of {history.scenario}
        </Link>
      </p>
    </>
  );
}
