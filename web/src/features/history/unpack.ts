// SPDX-License-Identifier: Apache-2.0
/** From packed columns to a metric's lines: whole numbers of a step become values with their intervals. */
import type { LineColumns, Lines, ScenarioLine } from "../../shared/api/types";
import { known } from "../../shared/logic/text/units";

/** A line without its runs' ids, which are read when one is opened. Its values are of the kind that was asked for. */
export type HistoryLine = Omit<ScenarioLine, "run_id">;
export type HistoryLines = Omit<Lines, "lines"> & { lines: HistoryLine[] };

type Scaled = LineColumns["lines"][number]["change"];
type Values = (number | null)[];

/** Shared by all metrics: unpacked once. */
export function unpackCommits({ sha, subject, seconds }: LineColumns["commits"]): Lines["commits"] {
  return {
    sha,
    subject,
    committed_at: summed(seconds).map((time) => known(time, (at) => new Date(at * 1000).toISOString())),
  };
}

/** From differences to the last known one. */
function summed(differences: Values): Values {
  let sum = 0;
  return differences.map((more) => {
    if (more === null) return null;
    sum += more;
    return sum;
  });
}

export function unpackMetric(
  columns: LineColumns,
  commits: Lines["commits"],
  name: string,
): HistoryLines | undefined {
  const place = columns.metrics.findIndex((one) => one.name === name);
  const metric = columns.metrics[place];
  if (metric === undefined) return undefined;
  return {
    metric,
    commits,
    releases: columns.releases,
    lines: columns.lines.map((line) => unpackLine(line, commits.sha, place)),
  };
}

function unpackLine(
  line: LineColumns["lines"][number],
  shas: readonly string[],
  metric: number,
): HistoryLine {
  const { scenario, branch, host_class, change_points, segments } = line;
  let place = 0;
  const at = line.at.map((more) => {
    place += more;
    return place;
  });
  const change = unscaled(line.change);
  return {
    scenario,
    branch,
    host_class,
    change_points,
    segments,
    at,
    base_sha: line.base_at.map((back, run) =>
      back === null ? (line.other_bases[String(run)] ?? null) : (shas[(at[run] ?? 0) - back] ?? null),
    ),
    display: line.display.flatMap(({ display, runs }) => Array.from({ length: runs }, () => display)),
    ratio_cpp: change.value,
    low: change.low,
    high: change.high,
    stages: line.series
      .filter((one) => one.metric === metric)
      .map((one) => {
        const columns = unscaled(one);
        return {
          stage: one.stage,
          function: one.function,
          linked: one.linked,
          ...columns,
          measured: columns.value,
          measured_low: columns.low,
          measured_high: columns.high,
          same_features: one.same_features && unscaled(one.same_features).value,
        };
      }),
    environments: line.environments[metric] ?? [],
    missing: line.missing[metric] ?? null,
  };
}

/** Values and the ends of their intervals. */
export function unscaled({ step, value, below, skew }: Scaled): {
  value: Values;
  low: Values;
  high: Values;
} {
  const wholes = summed(value);
  const end = (distance: (run: number) => number | null): Values =>
    wholes.map((whole, run) => {
      const away = distance(run);
      return whole === null || away === null ? null : (whole + away) * step;
    });
  const down = (run: number) => below?.[run] ?? null;
  return {
    value: wholes.map((whole) => (whole === null ? null : whole * step)),
    low: end((run) => known(down(run), (distance) => -distance)),
    high: end((run) => known(down(run), (distance) => distance + (skew?.[run] ?? 0))),
  };
}
