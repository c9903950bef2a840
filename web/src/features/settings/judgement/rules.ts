// SPDX-License-Identifier: Apache-2.0
/** What people taught of a project's series: declared changes, and sizes up to which noise reaches. */
import { queryOptions } from "@tanstack/react-query";
import { body, client, done } from "../../../shared/api/client";

const of = (project: string) => ({ params: { path: { project } } });

export const expectationsQuery = (project: string) =>
  queryOptions({
    queryKey: ["expectations", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/expectations", { ...of(project), signal })),
  });

export const floorsQuery = (project: string) =>
  queryOptions({
    queryKey: ["floors", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/floors", { ...of(project), signal })),
  });

export const linksPlanQuery = (project: string) =>
  queryOptions({
    queryKey: ["links-plan", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/links/plan", { ...of(project), signal })),
  });

export const setLinksPlan = (project: string, links_per_day: number) =>
  body(client.PUT("/api/v1/projects/{project}/links/plan", { ...of(project), body: { links_per_day } }));

export const refinementPlanQuery = (project: string) =>
  queryOptions({
    queryKey: ["refinement-plan", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/refinements/plan", { ...of(project), signal })),
  });

export const setRefinementPlan = (project: string, minutes_per_day: number, margin: number) =>
  body(
    client.PUT("/api/v1/projects/{project}/refinements/plan", {
      ...of(project),
      body: { minutes_per_day, margin },
    }),
  );

export const forgetFloor = (project: string, number: number): Promise<void> =>
  done(
    client.DELETE("/api/v1/projects/{project}/floors/{number}", { params: { path: { project, number } } }),
  );
