// SPDX-License-Identifier: Apache-2.0
/** Weeks of the default branch, and the address of a private project's badge. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { body, client } from "../../shared/api/client";

const POLL_MS = 60_000;

/** Pages, newest first. */
export const weeksQuery = (project: string) =>
  infiniteQueryOptions({
    queryKey: ["weeks", project],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: before, signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/weeks", {
          params: { path: { project }, query: before ? { before } : {} },
          signal,
        }),
      ),
    getNextPageParam: (last) => last.before ?? undefined,
    refetchInterval: POLL_MS,
  });

export const weekQuery = (project: string, week: string) =>
  queryOptions({
    queryKey: ["weeks", project, week],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/weeks/{week}", {
          params: { path: { project, week } },
          signal,
        }),
      ),
    refetchInterval: POLL_MS,
  });

/** The address before becomes worthless. */
export const newBadgeAddress = (project: string) =>
  body(client.POST("/api/v1/projects/{project}/badge-token", { params: { path: { project } } }));
