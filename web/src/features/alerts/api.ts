// SPDX-License-Identifier: Apache-2.0
/** The watch list of the one who is signed in, and the alerts it finds. */
import { queryOptions } from "@tanstack/react-query";
import { body, client, done } from "../../shared/api/client";
import type { WatchNew } from "../../shared/api/types";

const POLL_MS = 15_000;

export const myAlertsQuery = () =>
  queryOptions({
    queryKey: ["alerts", "mine"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/me/alerts", { signal })),
    refetchInterval: POLL_MS,
  });

export const watchesQuery = () =>
  queryOptions({
    queryKey: ["watches"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/me/watches", { signal })),
  });

export const addWatch = (wanted: WatchNew) => body(client.POST("/api/v1/me/watches", { body: wanted }));

export const removeWatch = (number: number): Promise<void> =>
  done(client.DELETE("/api/v1/me/watches/{number}", { params: { path: { number } } }));
