// SPDX-License-Identifier: Apache-2.0
/** All metrics of the page in one answer; each panel unpacks its own. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { body, client } from "../../shared/api/client";
import { keptFor } from "../../shared/api/kept";
import { type LinesFilter, linesParameters } from "../../shared/api/queries";
import type { LineColumns, Lines } from "../../shared/api/types";
import { FUNCTION_METRICS } from "../../shared/logic/code/functions";
import type { ValuesKind } from "./search";
import { unpackCommits, unpackMetric } from "./unpack";

const POLL_MS = 15_000;

const columnsQuery = (
  project: string,
  metrics: readonly string[],
  filter: LinesFilter,
  values: "linked" | "measured",
) =>
  queryOptions({
    queryKey: ["lines", project, "columns", metrics, filter, values],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/lines/columns", {
          params: { path: { project }, query: { metric: [...metrics], values, ...linesParameters(filter) } },
          signal,
        }),
      ),
    refetchInterval: filter.longest ? false : POLL_MS,
    structuralSharing: !filter.longest,
    placeholderData: keptFor("lines", project, "columns"),
  });

const commitsOf = new WeakMap<LineColumns, Lines["commits"]>();

/** The same object for all metrics of an answer. */
function sharedCommits(columns: LineColumns): Lines["commits"] {
  const known = commitsOf.get(columns) ?? unpackCommits(columns.commits);
  commitsOf.set(columns, known);
  return known;
}

/** One of the page's metrics. Functions are asked for with metrics that they have. */
export function useHistoryLines(
  project: string,
  metric: string,
  metrics: readonly string[],
  requested: LinesFilter,
  kind: ValuesKind,
) {
  const ofFunctions = FUNCTION_METRICS.includes(metric);
  const together =
    requested.functions.length === 0
      ? metrics
      : metrics.filter((one) => FUNCTION_METRICS.includes(one) === ofFunctions);
  const filter =
    ofFunctions || requested.functions.length === 0 ? requested : { ...requested, functions: [] };
  const select = useCallback(
    (columns: LineColumns) => unpackMetric(columns, sharedCommits(columns), metric),
    [metric],
  );
  return useQuery({
    ...columnsQuery(project, together, filter, kind === "measured" ? kind : "linked"),
    select,
  });
}
