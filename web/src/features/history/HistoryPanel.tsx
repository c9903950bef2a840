// SPDX-License-Identifier: Apache-2.0
/** One metric's chart or table, with its own loading, empty and failed state. */
import { Skeleton } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { linesQuery } from "../../shared/api/queries";
import { CHAIN } from "../../shared/logic/charts/palette";
import { FUNCTION_METRICS, labelOf } from "../../shared/logic/code/functions";
import { fileName } from "../../shared/logic/text/csv";
import { MetricName } from "../../shared/ui/Help";
import { Panel } from "../../shared/ui/Panel";
import { ServerText } from "../../shared/ui/ServerText";
import { ExportButtons } from "../../shared/ui/save/ExportButtons";
import { useHistoryLines } from "./api";
import { drawnSeries, rowsOf, seriesOf } from "./chartLines";
import { HistoryPlot } from "./HistoryPlot";
import { HistoryTable } from "./HistoryTable";
import type { DrawnProps, HistoryPanelProps } from "./panelProps";

export function HistoryPanel(props: HistoryPanelProps) {
  const { project, metric, requested, shown, values } = props;
  const { data: lines, error } = useHistoryLines(project, metric, props.metrics, requested, values);
  const queries = useQueryClient();
  const around = useRef<HTMLDivElement>(null);
  const names = shown.join("\n");
  const series = useMemo(
    () => (lines ? seriesOf(lines.lines, names.split("\n"), lines.commits.sha.length, values) : []),
    [lines, names, values],
  );
  const { scale, against } = props;
  const drawn = useMemo(
    () => drawnSeries(series, lines?.commits.sha ?? [], lines?.metric.unit ?? "", scale, against),
    [series, lines, scale, against],
  );
  const { unit } = drawn;
  const hosts = [...new Set(lines?.lines.flatMap((one) => one.host_class ?? []))];
  const aside = lines && series.length > 0 && (
    <span className="panel-aside soft">
      {[unit !== "1" && unit, hosts.join(", ")].filter(Boolean).join(" · ")}
      <ExportButtons
        name={fileName(project, ...requested.scenarios, metric)}
        what={`${lines.metric.title} per commit`}
        rows={async () => {
          // The chart's figures are rounded to a small part of their intervals; a file has every digit.
          const exact = await queries.fetchQuery(linesQuery(project, metric, requested));
          const every = seriesOf(exact.lines, shown, exact.commits.sha.length, values);
          const { series } = drawnSeries(every, exact.commits.sha, exact.metric.unit, scale, against);
          return rowsOf(exact.commits, series, unit);
        }}
        picture={props.asTable ? undefined : around}
      />
    </span>
  );
  return (
    <Panel title={<MetricName name={metric} />} aside={aside}>
      <div ref={around}>
        {lines ? (
          <Content {...props} lines={lines} series={drawn.series} unit={unit} />
        ) : error ? (
          <p role="alert">{error.message}</p>
        ) : (
          <Skeleton height={270} />
        )}
      </div>
    </Panel>
  );
}

function Content(props: DrawnProps) {
  const { lines, series, shown, asTable, requested } = props;
  const missing = lines.lines.find((one) => one.missing)?.missing;
  const left = requested.functions.length > 0 && !FUNCTION_METRICS.includes(lines.metric.name);
  if (missing)
    return (
      <p className="held">
        <ServerText>{missing}</ServerText>
      </p>
    );
  if (lines.commits.sha.length === 0) return <p className="soft">No figure of this metric yet.</p>;
  if (left && requested.stages.length === 0) return <NotOfFunctions metric={lines.metric.title} />;
  if (series.length === 0)
    return (
      <p className="soft">{`No figure for ${shown.join(", ")}: only the ${CHAIN} has it, only stages have it, or these runs had no counter that gives it.`}</p>
    );
  const without = left
    ? []
    : requested.functions
        .map(labelOf)
        .filter((name) => seriesOf(lines.lines, [name], lines.commits.sha.length).length === 0);
  return (
    <>
      {without.length > 0 && (
        <p className="soft">{`No figure for ${without.join(", ")}: its runs have no samples of it, or too few.`}</p>
      )}
      {left && props.alone && <NotOfFunctions metric={lines.metric.title} />}
      {asTable ? <HistoryTable {...props} /> : <HistoryPlot {...props} />}
    </>
  );
}

const NotOfFunctions = ({ metric }: { metric: string }) => (
  <p className="soft">{`C functions are not drawn: they have IPP, calls, CPP and eIPC, not ${metric}.`}</p>
);
