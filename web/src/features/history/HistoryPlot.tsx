// SPDX-License-Identifier: Apache-2.0
/** A metric's chart: series, marks, what a click opens. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { commitQuery } from "../../shared/api/queries";
import { HistoryChart } from "../../shared/charts/HistoryChart";
import { MarkLegend } from "../../shared/charts/MarkLegend";
import { SeriesLegend } from "../../shared/charts/SeriesLegend";
import { eventMarks, eventsAt } from "../../shared/logic/charts/historyEvents";
import { byDate, byNumber } from "../../shared/logic/charts/positions";
import { momentTick, shortSha } from "../../shared/logic/text/format";
import { lineMarks, positive, runAt } from "./chartLines";
import { HistoryTip } from "./HistoryTip";
import type { DrawnProps } from "./panelProps";
import { indexSpans } from "./spans";
import type { HistoryLine, HistoryLines } from "./unpack";

/** Costs that add up start at 0, so that heights compare; a ratio such as eIPC does not. */
const FROM_ZERO = new Set(["cpp", "ipp"]);
/** Also alone: fractions that hardly move would fill the chart with their last digits. */
const CALLS = "calls";
/** On the axis: the day or time of a commit; of one without a date, its hash. */
function dayOrCommit(
  { sha, committed_at }: HistoryLines["commits"],
  place: number,
  before: number | undefined,
): string {
  const at = committed_at[place];
  if (!at) return shortSha(sha[place] ?? "");
  return momentTick(at, before === undefined ? undefined : (committed_at[before] ?? undefined));
}

export function HistoryPlot(props: DrawnProps) {
  const { project, lines: shown, series, stages, scale, unit, alerts, alone, dated } = props;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { commits, lines, releases, metric } = shown;
  const spans = useMemo(() => indexSpans(commits.sha, props.spans), [commits, props.spans]);
  const positions = useMemo(() => (dated ? byDate(commits.committed_at) : byNumber), [dated, commits]);
  const several = lines.length > 1;
  const inks = useMemo(() => (several ? series.map((one) => one.stage) : stages), [several, series, stages]);
  const data = useMemo(
    () => ({
      x: commits.sha.map((_, index) => index),
      stages: scale === "log" ? positive(series) : series,
    }),
    [commits, series, scale],
  );
  const events = useMemo(
    () => ({
      change_points: lines.flatMap((one) => one.change_points),
      segments: lines.flatMap((one) => one.segments),
      environments: lines.flatMap((one) => one.environments),
    }),
    [lines],
  );
  const marks = useMemo(
    () => [
      ...lineMarks(lines, releases),
      ...eventMarks(
        commits.sha.map((sha) => ({ sha })),
        events,
        alerts,
      ),
    ],
    [lines, releases, commits, events, alerts],
  );
  const open = (place: number): void => {
    const sha = commits.sha[place] ?? "";
    const here = eventsAt(sha, events, alerts);
    const alert = here.find((one) => one.kind === "alert") ?? here.find((one) => one.kind === "fix");
    const run = runAt(lines, place);
    if (alert) navigate({ to: "/p/$project/alerts/$id", params: { project, id: String(alert.alertId) } });
    else if (run) void openRun(sha, run.line);
  };
  const openRun = async (sha: string, line: HistoryLine): Promise<void> => {
    const { runs } = await queries.fetchQuery(commitQuery(project, sha));
    const runId = runs.find(
      (one) =>
        one.scenario === line.scenario && one.host_class === line.host_class && one.outcome !== "invalid",
    )?.run_id;
    if (runId) navigate({ to: "/p/$project/runs/$runId", params: { project, runId } });
  };
  return (
    <>
      <HistoryChart
        data={data}
        marks={marks}
        positions={positions}
        allStages={inks}
        tickLabel={(place, before) => dayOrCommit(commits, place, before)}
        spoken={(place) =>
          [shortSha(commits.sha[place] ?? ""), commits.subject[place]].filter(Boolean).join(" ")
        }
        scale={scale}
        fromZero={
          scale === "absolute" && (metric.name === CALLS || (series.length > 1 && FROM_ZERO.has(metric.name)))
        }
        height={alone ? 400 : 260}
        label={`${metric.title} of ${series.map((one) => one.stage).join(", ")} over ${commits.sha.length} commits. The table view has the figures.`}
        spans={spans}
        onPick={open}
        tip={(place) => (
          <HistoryTip
            shown={shown}
            place={place}
            series={series}
            unit={unit}
            inks={inks}
            events={eventsAt(commits.sha[place] ?? "", events, alerts)}
          />
        )}
      />
      {several && <SeriesLegend series={inks} />}
      <MarkLegend marks={marks} />
    </>
  );
}
