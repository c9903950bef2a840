// SPDX-License-Identifier: Apache-2.0
/** Backfills and bisects: lists, one, new ones, and their ends. */
import { queryOptions } from "@tanstack/react-query";
import { body, client } from "../../shared/api/client";
import type { BackfillNew, BisectNew } from "../../shared/api/types";
import { isSearching } from "./campaigns";

const POLL_MS = 4_000;
const LIST_MS = 15_000;

export const backfillsQuery = (project: string) =>
  queryOptions({
    queryKey: ["backfills", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/backfills", { params: { path: { project } }, signal })),
    refetchInterval: LIST_MS,
  });

export const bisectsQuery = (project: string) =>
  queryOptions({
    queryKey: ["bisects", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/bisections", { params: { path: { project } }, signal })),
    refetchInterval: LIST_MS,
  });

export const backfillQuery = (backfill_id: number) =>
  queryOptions({
    queryKey: ["backfill", backfill_id],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/backfills/{backfill_id}", { params: { path: { backfill_id } }, signal })),
    refetchInterval: ({ state }) => (state.data && !isSearching(state.data) ? false : POLL_MS),
  });

export const bisectQuery = (bisect_id: number) =>
  queryOptions({
    queryKey: ["bisect", bisect_id],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/bisections/{bisect_id}", { params: { path: { bisect_id } }, signal })),
    refetchInterval: ({ state }) => (state.data && !isSearching(state.data) ? false : POLL_MS),
  });

export const addBackfill = (project: string, requested: BackfillNew) =>
  body(
    client.POST("/api/v1/projects/{project}/backfills", { params: { path: { project } }, body: requested }),
  );

export const addBisect = (project: string, requested: BisectNew) =>
  body(
    client.POST("/api/v1/projects/{project}/bisections", { params: { path: { project } }, body: requested }),
  );

export const cancelBackfill = (backfill_id: number) =>
  body(client.POST("/api/v1/backfills/{backfill_id}/cancel", { params: { path: { backfill_id } } }));

export const cancelBisect = (bisect_id: number) =>
  body(client.POST("/api/v1/bisections/{bisect_id}/cancel", { params: { path: { bisect_id } } }));
