// SPDX-License-Identifier: Apache-2.0
/** Prices of features, NCPP, and one commit's models and variants. */
import { queryOptions } from "@tanstack/react-query";

import { body, client } from "./client";
import { keptFor } from "./kept";

export const BYS = ["commit", "release", "branch"] as const;
/** What NCPP has a point for. */
export type By = (typeof BYS)[number];

const POLL_MS = 15_000;
/** Points of a line that are drawn. */
const MOST_POINTS = 500;

export const pricesQuery = (project: string) =>
  queryOptions({
    queryKey: ["prices", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/features", { params: { path: { project } }, signal })),
    refetchInterval: POLL_MS,
  });

export const priceHistoryQuery = (project: string, name: string) =>
  queryOptions({
    queryKey: ["price-history", project, name],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/features/{name}/history", {
          params: { path: { project, name } },
          signal,
        }),
      ),
    staleTime: POLL_MS,
  });

export const ncppQuery = (project: string, by: By) =>
  queryOptions({
    queryKey: ["ncpp", project, by],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/ncpp", {
          params: { path: { project }, query: { by, limit: MOST_POINTS } },
          signal,
        }),
      ),
    refetchInterval: POLL_MS,
    placeholderData: keptFor("ncpp", project),
  });

export const modelsQuery = (project: string, commit: string | undefined) =>
  queryOptions({
    queryKey: ["models", project, commit ?? null],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/models", {
          params: { path: { project }, query: commit ? { commit } : {} },
          signal,
        }),
      ),
    refetchInterval: POLL_MS,
  });

export const practicesQuery = (project: string) =>
  queryOptions({
    queryKey: ["practices", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/practices", { params: { path: { project } }, signal })),
    refetchInterval: POLL_MS,
  });

export const ablationQuery = (project: string, commit: string | undefined) =>
  queryOptions({
    queryKey: ["ablation", project, commit ?? null],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/ablation", {
          params: { path: { project }, query: commit ? { commit } : {} },
          signal,
        }),
      ),
    refetchInterval: POLL_MS,
  });
