// SPDX-License-Identifier: Apache-2.0
/** How well the service judges a project, and how often it tries itself. */
import { queryOptions } from "@tanstack/react-query";
import { body, client } from "../../shared/api/client";
import { keptFor } from "../../shared/api/kept";
import type { Controls } from "../../shared/api/types";

const POLL_MS = 60_000;

export const qualityQuery = (project: string, days: number) =>
  queryOptions({
    queryKey: ["quality", project, days],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/detection-quality", {
          params: { path: { project }, query: { days } },
          signal,
        }),
      ),
    refetchInterval: POLL_MS,
    placeholderData: keptFor("quality", project),
  });

export const setControls = (project: string, requested: Controls) =>
  body(
    client.PUT("/api/v1/projects/{project}/detection-quality/controls", {
      params: { path: { project } },
      body: requested,
    }),
  );
