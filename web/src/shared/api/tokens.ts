// SPDX-License-Identifier: Apache-2.0
/** Tokens of a person and of a project. */
import { queryOptions } from "@tanstack/react-query";
import { body, client, done } from "./client";
import type { OwnTokenNew, ProjectTokenNew } from "./types";

export const ownTokensQuery = () =>
  queryOptions({
    queryKey: ["tokens"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/tokens", { signal })),
  });

export const projectTokensQuery = (project: string) =>
  queryOptions({
    queryKey: ["tokens", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/tokens", { params: { path: { project } }, signal })),
  });

export const addOwnToken = (request: OwnTokenNew) => body(client.POST("/api/v1/tokens", { body: request }));

export const addProjectToken = (project: string, request: ProjectTokenNew) =>
  body(client.POST("/api/v1/projects/{project}/tokens", { params: { path: { project } }, body: request }));

export const revokeOwnToken = (token_id: number): Promise<void> =>
  done(client.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id } } }));

export const revokeProjectToken = (project: string, token_id: number): Promise<void> =>
  done(
    client.DELETE("/api/v1/projects/{project}/tokens/{token_id}", {
      params: { path: { project, token_id } },
    }),
  );
