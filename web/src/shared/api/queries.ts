// SPDX-License-Identifier: Apache-2.0
/** One query per endpoint that a page reads. Keys begin with the endpoint, so that they can be invalidated together. */
import { queryOptions } from "@tanstack/react-query";
import { FUNCTION_METRICS } from "../logic/code/functions";
import { isActive } from "../logic/run/verdict";
import { LONGEST } from "../logic/search";
import { body, client } from "./client";
import { keptFor } from "./kept";
import type { Commit, Project } from "./types";

/** How often a page asks again while a job is queued or running, and while none is. Milliseconds. */
const POLL_ACTIVE_MS = 2_000;
const POLL_IDLE_MS = 15_000;

const MOST_FUNCTIONS = 1000;

const pollCommits = (commits: readonly Commit[] | undefined): number =>
  commits?.some((commit) => isActive(commit.job)) ? POLL_ACTIVE_MS : POLL_IDLE_MS;

const pollProjects = (projects: readonly Project[] | undefined): number =>
  projects?.some((project) => project.jobs_open > 0) ? POLL_ACTIVE_MS : POLL_IDLE_MS;

export const catalogueQuery = () =>
  queryOptions({
    queryKey: ["metrics-catalogue"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/metrics-catalogue", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The catalogue's metrics, and those of the project's nalm.toml. */
export const projectMetricsQuery = (project: string) =>
  queryOptions({
    queryKey: ["metrics", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/metrics", { params: { path: { project } }, signal })),
  });

export const projectsQuery = () =>
  queryOptions({
    queryKey: ["projects"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/projects", { signal })),
    refetchInterval: (query) => pollProjects(query.state.data),
  });

export const projectQuery = (project: string) =>
  queryOptions({
    queryKey: ["project", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}", { params: { path: { project } }, signal })),
    staleTime: POLL_IDLE_MS,
    refetchInterval: ({ state }) => (state.data ? POLL_IDLE_MS : false),
  });

/** The newest `limit` commits, newest first. */
export const commitsQuery = (project: string, scenario: string | undefined, limit: number) =>
  queryOptions({
    queryKey: ["commits", project, scenario ?? null, limit],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/commits", {
          params: { path: { project }, query: { limit, ...(scenario ? { scenario } : {}) } },
          signal,
        }),
      ),
    refetchInterval: (query) => pollCommits(query.state.data),
    placeholderData: keptFor("commits", project),
  });

export const commitQuery = (project: string, sha: string) =>
  queryOptions({
    queryKey: ["commit", project, sha],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/commits/{sha}", {
          params: { path: { project, sha } },
          signal,
        }),
      ),
  });

export const scenariosQuery = (project: string) =>
  queryOptions({
    queryKey: ["scenarios", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/scenarios", { params: { path: { project } }, signal })),
    staleTime: 15_000,
    refetchInterval: POLL_IDLE_MS,
  });

export const historyQuery = (
  project: string,
  scenario: string,
  metric: string,
  hostClass: string | undefined,
) =>
  queryOptions({
    queryKey: ["history", project, scenario, metric, hostClass ?? null],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/scenarios/{scenario}/history", {
          params: {
            path: { project, scenario },
            query: { metric, ...(hostClass ? { host_class: hostClass } : {}) },
          },
          signal,
        }),
      ),
    refetchInterval: POLL_IDLE_MS,
  });

export interface LinesFilter {
  scenarios: readonly string[];
  branches: readonly string[];
  /** Empty: all, or none where functions are chosen. */
  stages: readonly string[];
  /** `stage>function`; asked for where the metric is one of theirs. */
  functions: readonly string[];
  hostClass: string | undefined;
  /** As many commits as there can be. */
  longest: boolean;
}

export const linesParameters = (filter: LinesFilter) => ({
  scenario: [...filter.scenarios],
  branch: [...filter.branches],
  stage: [...filter.stages],
  function: [...filter.functions],
  ...(filter.hostClass ? { host_class: filter.hostClass } : {}),
  ...(filter.longest ? { limit: Number(LONGEST) } : {}),
});

/** One metric with every digit, for files. */
export const linesQuery = (project: string, metric: string, all: LinesFilter) => {
  const filter = FUNCTION_METRICS.includes(metric) ? all : { ...all, functions: [] };
  return queryOptions({
    queryKey: ["lines", project, metric, filter],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/lines", {
          params: { path: { project }, query: { metric, ...linesParameters(filter) } },
          signal,
        }),
      ),
  });
};

/** C functions with a history, most expensive first. */
export const functionsQuery = (project: string, scenario: string, hostClass: string | undefined) =>
  queryOptions({
    queryKey: ["functions", project, scenario, hostClass ?? null],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/scenarios/{scenario}/functions", {
          params: {
            path: { project, scenario },
            query: { limit: MOST_FUNCTIONS, ...(hostClass ? { host_class: hostClass } : {}) },
          },
          signal,
        }),
      ),
    staleTime: POLL_IDLE_MS,
  });

export const branchesQuery = (project: string) =>
  queryOptions({
    queryKey: ["branches", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/branches", { params: { path: { project } }, signal })),
    staleTime: POLL_IDLE_MS,
  });

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run", runId],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: runId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const reportQuery = (runId: string) =>
  queryOptions({
    queryKey: ["report", runId],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/runs/{run_id}/report", { params: { path: { run_id: runId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const runCountsQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run-counts", runId],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/runs/{run_id}/counts", { params: { path: { run_id: runId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
