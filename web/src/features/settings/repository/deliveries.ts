// SPDX-License-Identifier: Apache-2.0
/** What forges sent of a project, and working on it once more. */
import { queryOptions } from "@tanstack/react-query";
import { body, client } from "../../../shared/api/client";

const SHOWN = 20;
const POLL_MS = 15_000;

export const deliveriesQuery = (project: string) =>
  queryOptions({
    queryKey: ["deliveries", project],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/deliveries", {
          params: { path: { project }, query: { limit: SHOWN } },
          signal,
        }),
      ),
    refetchInterval: POLL_MS,
  });

export const redeliver = (project: string, number: number) =>
  body(
    client.POST("/api/v1/projects/{project}/deliveries/{number}/redeliver", {
      params: { path: { project, number } },
    }),
  );

/** The server signs a ping and takes it as a forge's. */
export const tryWebhook = (project: string) =>
  body(client.POST("/api/v1/projects/{project}/deliveries/trial", { params: { path: { project } } }));
