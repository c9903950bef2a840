// SPDX-License-Identifier: Apache-2.0
/** All projects at a glance. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { body, client } from "../../shared/api/client";

const POLL_MS = 15_000;

/** What changed since a moment; null: as the server has it, a week. */
export const overviewQuery = (since: string | null) =>
  queryOptions({
    queryKey: ["overview", since],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/overview", { params: { query: since ? { since } : {} }, signal })),
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  });
