// SPDX-License-Identifier: Apache-2.0
/** What was told of a project and could not be told, telling it again, and its feed. */
import { queryOptions } from "@tanstack/react-query";
import { body, client, done } from "../../../shared/api/client";

const SHOWN = 30;
const POLL_MS = 15_000;

export const notificationsQuery = (project: string) =>
  queryOptions({
    queryKey: ["notifications", project],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/notifications", {
          params: { path: { project }, query: { limit: SHOWN } },
          signal,
        }),
      ),
    refetchInterval: POLL_MS,
  });

export const tellAgain = (project: string, number: number): Promise<void> =>
  done(
    client.POST("/api/v1/projects/{project}/notifications/{number}/redeliver", {
      params: { path: { project, number } },
    }),
  );

/** The address before becomes worthless. */
export const newFeedAddress = (project: string) =>
  body(client.POST("/api/v1/projects/{project}/feed-token", { params: { path: { project } } }));
