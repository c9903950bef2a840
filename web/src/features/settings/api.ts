// SPDX-License-Identifier: Apache-2.0
/** What maintainers set of a project. */
import { queryOptions } from "@tanstack/react-query";
import { body, client, done } from "../../shared/api/client";
import type { BranchFilterSettings, IntegrationNew, Member, ReadToken, Rules } from "../../shared/api/types";

const of = (project: string) => ({ params: { path: { project } } });

export const branchFiltersQuery = (project: string) =>
  queryOptions({
    queryKey: ["branch filters", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/branch-filters", { ...of(project), signal })),
  });

export const retentionQuery = (project: string) =>
  queryOptions({
    queryKey: ["retention", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/retention", { ...of(project), signal })),
  });

export const configurationQuery = (project: string) =>
  queryOptions({
    queryKey: ["configuration", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/configuration", { ...of(project), signal })),
  });

export const setConfiguration = (project: string, text: string | null) =>
  body(client.PUT("/api/v1/projects/{project}/configuration", { ...of(project), body: { text } }));

export const peopleQuery = (project: string) =>
  queryOptions({
    queryKey: ["people", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/people", { ...of(project), signal })),
  });

export const integrationsQuery = (project: string) =>
  queryOptions({
    queryKey: ["integrations", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/integrations", { ...of(project), signal })),
  });

export const setBranchFilters = (project: string, requested: BranchFilterSettings) =>
  body(client.PUT("/api/v1/projects/{project}/branch-filters", { ...of(project), body: requested }));

export const changeSecret = (project: string) =>
  body(
    client.POST("/api/v1/projects/{project}/webhook-secret", { ...of(project), body: { overlap_hours: 24 } }),
  );

export const setReadToken = (project: string, requested: ReadToken): Promise<void> =>
  done(client.PUT("/api/v1/projects/{project}/read-token", { ...of(project), body: requested }));

export const removeReadToken = (project: string): Promise<void> =>
  done(client.DELETE("/api/v1/projects/{project}/read-token", of(project)));

export const setRetention = (project: string, requested: Rules) =>
  body(client.PUT("/api/v1/projects/{project}/retention", { ...of(project), body: requested }));

export type ProjectRole = Exclude<Member["role"], "administrator">;

export const setMember = (project: string, account: string, role: ProjectRole) =>
  body(
    client.PUT("/api/v1/projects/{project}/people/{account}", {
      params: { path: { project, account } },
      body: { role },
    }),
  );

export const removeMember = (project: string, account: string): Promise<void> =>
  done(
    client.DELETE("/api/v1/projects/{project}/people/{account}", { params: { path: { project, account } } }),
  );

export const addIntegration = (project: string, requested: IntegrationNew) =>
  body(client.POST("/api/v1/projects/{project}/integrations", { ...of(project), body: requested }));

export const removeIntegration = (project: string, number: number): Promise<void> =>
  done(
    client.DELETE("/api/v1/projects/{project}/integrations/{number}", {
      params: { path: { project, number } },
    }),
  );

export const testIntegration = (project: string, number: number) =>
  body(
    client.POST("/api/v1/projects/{project}/integrations/{number}/test", {
      params: { path: { project, number } },
    }),
  );

export const enableIntegration = (project: string, number: number, enabled: boolean) =>
  body(
    client.PATCH("/api/v1/projects/{project}/integrations/{number}", {
      params: { path: { project, number } },
      body: { enabled },
    }),
  );
