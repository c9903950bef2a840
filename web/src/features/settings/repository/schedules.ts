// SPDX-License-Identifier: Apache-2.0
/** Set times at which a project's default branch is measured. */
import { queryOptions } from "@tanstack/react-query";
import { body, client, done } from "../../../shared/api/client";
import type { ScheduleChange, ScheduleNew } from "../../../shared/api/types";

const one = (project: string, schedule: string) => ({ params: { path: { project, schedule } } });

export const schedulesQuery = (project: string) =>
  queryOptions({
    queryKey: ["schedules", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/schedules", { params: { path: { project } }, signal })),
  });

export const addSchedule = (project: string, requested: ScheduleNew) =>
  body(
    client.POST("/api/v1/projects/{project}/schedules", { params: { path: { project } }, body: requested }),
  );

export const changeSchedule = (project: string, schedule: string, requested: ScheduleChange) =>
  body(
    client.PATCH("/api/v1/projects/{project}/schedules/{schedule}", {
      ...one(project, schedule),
      body: requested,
    }),
  );

export const removeSchedule = (project: string, schedule: string): Promise<void> =>
  done(client.DELETE("/api/v1/projects/{project}/schedules/{schedule}", one(project, schedule)));
