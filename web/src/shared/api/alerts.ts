// SPDX-License-Identifier: Apache-2.0
/** Findings: lists, one, and what people do with them. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type AlertState, isActiveAlert } from "../logic/alerts";
import { body, client, done } from "./client";
import { keptFor } from "./kept";
import type { AlertDetail, BulkChange, Explanation, MuteNew, StateChange } from "./types";

/** How often the list is read, one that is being measured again, and one that is not. Milliseconds. */
const LIST_MS = 15_000;
const MOVING_MS = 4_000;
const MOST = 500;
const MEASURED_AGAIN = ["waiting", "measuring", "bisecting"];

/** Queries to read again after an alert changed. */
export const ALERT_RENEWS = ["alert", "alerts", "project", "projects", "history"] as const;

export interface AlertFilter {
  states?: readonly AlertState[] | undefined;
  scenario?: string | undefined;
  assignee?: string | undefined;
  commit?: string | undefined;
  stage?: string | undefined;
  author?: string | undefined;
  text?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  order?: "severity" | "new" | undefined;
  limit?: number | undefined;
}

export const alertsQuery = (project: string, filter: AlertFilter = {}) => {
  const { states, limit = MOST, ...rest } = filter;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const query = { ...given, limit, ...(states ? { state: [...states] } : {}) };
  return queryOptions({
    queryKey: ["alerts", project, query],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/alerts", {
          params: { path: { project }, query },
          signal,
        }),
      ),
    refetchInterval: LIST_MS,
    placeholderData: keptFor("alerts", project),
  });
};

const PAGE = 100;

const queryOf = ({ states, ...rest }: AlertFilter) => ({
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
  ...(states ? { state: [...states] } : {}),
});

/** The same list page by page: there may be hundreds. */
export const alertPagesQuery = (project: string, filter: AlertFilter) => {
  const query = queryOf(filter);
  return infiniteQueryOptions({
    queryKey: ["alerts", project, "pages", query],
    queryFn: ({ pageParam, signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/alerts", {
          params: { path: { project }, query: { ...query, limit: PAGE, offset: pageParam } },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? null : pages.length * PAGE),
    refetchInterval: LIST_MS,
    placeholderData: keptFor("alerts", project, "pages"),
  });
};

/** How many alerts match, by state, stage, author and assignee. */
export const alertFacetsQuery = (project: string, filter: AlertFilter) => {
  const { order: _order, ...query } = queryOf(filter) as ReturnType<typeof queryOf> & { order?: string };
  return queryOptions({
    queryKey: ["alerts", project, "facets", query],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/alerts/facets", {
          params: { path: { project }, query },
          signal,
        }),
      ),
    refetchInterval: LIST_MS,
    placeholderData: keptFor("alerts", project, "facets"),
  });
};

export const changeAlerts = (project: string, request: BulkChange) =>
  body(
    client.POST("/api/v1/projects/{project}/alerts/bulk", { params: { path: { project } }, body: request }),
  );

/** Your last change of each, made within the last minutes. */
export const undoAlerts = (project: string, alerts: number[]) =>
  body(
    client.POST("/api/v1/projects/{project}/alerts/undo", {
      params: { path: { project } },
      body: { alerts },
    }),
  );

/** It is being measured again, or its commit is looked for. */
export const isMoving = (alert: AlertDetail | undefined): boolean =>
  !!alert?.confirming && isActiveAlert(alert) && MEASURED_AGAIN.includes(alert.confirming.state);

/** The document has it as any object; a server's explanation always has its text. */
export const explanationOf = (alert: AlertDetail): Explanation | null =>
  typeof alert.explanation?.text === "string" ? (alert.explanation as unknown as Explanation) : null;

const of = (alert_id: number) => ({ params: { path: { alert_id } } });

export const alertQuery = (alert_id: number) =>
  queryOptions({
    queryKey: ["alert", alert_id],
    queryFn: ({ signal }) => body(client.GET("/api/v1/alerts/{alert_id}", { ...of(alert_id), signal })),
    refetchInterval: ({ state }) => (isMoving(state.data) ? MOVING_MS : LIST_MS),
  });

export const setAlertState = (alert_id: number, request: StateChange) =>
  body(client.POST("/api/v1/alerts/{alert_id}/state", { ...of(alert_id), body: request }));

/** Null: unassigned. */
export const assignAlert = (alert_id: number, assignee: string | null) =>
  body(client.POST("/api/v1/alerts/{alert_id}/assign", { ...of(alert_id), body: { assignee } }));

export const commentOnAlert = (alert_id: number, text: string) =>
  body(client.POST("/api/v1/alerts/{alert_id}/comments", { ...of(alert_id), body: { text } }));

export const measureAlertAgain = (alert_id: number) =>
  body(client.POST("/api/v1/alerts/{alert_id}/confirm", of(alert_id)));

export const bisectAlert = (alert_id: number) =>
  body(client.POST("/api/v1/alerts/{alert_id}/bisect", of(alert_id)));

export const mutesQuery = (project: string) =>
  queryOptions({
    queryKey: ["mutes", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/mutes", { params: { path: { project } }, signal })),
  });

export const addMute = (project: string, request: MuteNew) =>
  body(client.POST("/api/v1/projects/{project}/mutes", { params: { path: { project } }, body: request }));

export const endMute = (project: string, number: number): Promise<void> =>
  done(client.DELETE("/api/v1/projects/{project}/mutes/{number}", { params: { path: { project, number } } }));

/** Whether what a run found is accepted. */
export const acceptanceQuery = (run_id: string) =>
  queryOptions({
    queryKey: ["acceptance", run_id],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/runs/{run_id}/acceptance", { params: { path: { run_id } }, signal })),
  });

export const acceptRun = (run_id: string, why: string) =>
  body(client.POST("/api/v1/runs/{run_id}/acceptance", { params: { path: { run_id } }, body: { why } }));
