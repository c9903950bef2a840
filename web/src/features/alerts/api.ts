// SPDX-License-Identifier: Apache-2.0
/** The subscriptions of the account that is signed in, and the alerts that match them. */
import { queryOptions } from "@tanstack/react-query";
import { body, client, done } from "../../shared/api/client";
import type { SubscriptionNew } from "../../shared/api/types";

const POLL_MS = 15_000;

export const myAlertsQuery = () =>
  queryOptions({
    queryKey: ["alerts", "mine"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/me/alerts", { signal })),
    refetchInterval: POLL_MS,
  });

export const subscriptionsQuery = () =>
  queryOptions({
    queryKey: ["subscriptions"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/me/subscriptions", { signal })),
  });

export const addSubscription = (requested: SubscriptionNew) =>
  body(client.POST("/api/v1/me/subscriptions", { body: requested }));

export const removeSubscription = (number: number): Promise<void> =>
  done(client.DELETE("/api/v1/me/subscriptions/{number}", { params: { path: { number } } }));
