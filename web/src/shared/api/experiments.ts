// SPDX-License-Identifier: Apache-2.0
/** Experiments within one commit: lists, one with its cells, new ones, and their end. */
import { queryOptions } from "@tanstack/react-query";
import { isUnderWay } from "../logic/run/experiments";
import { body, client } from "./client";
import type { ExperimentKind, ExperimentNew } from "./types";

const POLL_MS = 2_000;
const LIST_MS = 15_000;
const MOST_SHOWN = 10;

/** The newest ones of a kind, newest first. */
export const experimentsQuery = (project: string, kind: ExperimentKind) =>
  queryOptions({
    queryKey: ["experiments", project, kind],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/experiments", {
          params: { path: { project }, query: { kind, limit: MOST_SHOWN } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? POLL_MS : LIST_MS),
  });

export const experimentQuery = (experiment_id: number) =>
  queryOptions({
    queryKey: ["experiment", experiment_id],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/experiments/{experiment_id}", { params: { path: { experiment_id } }, signal }),
      ),
    refetchInterval: ({ state }) => (state.data && !isUnderWay(state.data) ? false : POLL_MS),
  });

export const addExperiment = (project: string, request: ExperimentNew) =>
  body(
    client.POST("/api/v1/projects/{project}/experiments", { params: { path: { project } }, body: request }),
  );

export const cancelExperiment = (experiment_id: number) =>
  body(client.POST("/api/v1/experiments/{experiment_id}/cancel", { params: { path: { experiment_id } } }));
