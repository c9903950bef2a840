// SPDX-License-Identifier: Apache-2.0
/** Bench hosts, their health, and what administrators do to them. */
import { queryOptions } from "@tanstack/react-query";
import { body, client } from "./client";
import type { BenchHost } from "./types";

const POLL_MS = 10_000;
const HEALTH_MS = 60_000;

export const hostsQuery = () =>
  queryOptions({
    queryKey: ["hosts"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/hosts", { signal })),
    refetchInterval: POLL_MS,
  });

/** Of the last day, oldest first. */
export const healthQuery = (host: string) =>
  queryOptions({
    queryKey: ["health", host],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/hosts/{host}/health", { params: { path: { host } }, signal })),
    refetchInterval: HEALTH_MS,
  });

export const hostQuery = (host: string) =>
  queryOptions({
    queryKey: ["hosts", host],
    queryFn: ({ signal }) => body(client.GET("/api/v1/hosts/{host}", { params: { path: { host } }, signal })),
    refetchInterval: POLL_MS,
  });

/** How its runs scatter and what they can see. */
export const noiseQuery = (host: string) =>
  queryOptions({
    queryKey: ["noise", host],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/hosts/{host}/noise", { params: { path: { host } }, signal })),
  });

/** Which properties of hosts move measurements, over all runs of three months. */
export const factorsQuery = () =>
  queryOptions({
    queryKey: ["host-factors"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/host-factors", { params: { query: {} }, signal })),
    staleTime: 300_000,
  });

export type HostAction = "drain" | "resume" | "revoke";

export function actOnHost(action: HostAction, host: string): Promise<BenchHost> {
  const options = { params: { path: { host } } };
  if (action === "drain") return body(client.POST("/api/v1/hosts/{host}/drain", options));
  if (action === "resume") return body(client.POST("/api/v1/hosts/{host}/resume", options));
  return body(client.POST("/api/v1/hosts/{host}/revoke", options));
}
