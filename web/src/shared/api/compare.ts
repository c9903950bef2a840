// SPDX-License-Identifier: Apache-2.0
/** Two sides: their comparison, their code, and what they can be chosen from. */
import { queryOptions } from "@tanstack/react-query";
import type { Sides } from "../logic/run/sides";
import { body, client } from "./client";
import { keptFor } from "./kept";

type Given = { [key in keyof Required<Sides>]?: string } & { base: string; head: string };
const given = (sides: Sides): Given =>
  Object.fromEntries(Object.entries(sides).filter(([, value]) => value !== undefined)) as Given;

/** Revisions offered at once. */
const OFFERED = 30;

export const compareQuery = (project: string, sides: Sides) =>
  queryOptions({
    queryKey: ["compare", project, given(sides)],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/compare", {
          params: { path: { project }, query: given(sides) },
          signal,
        }),
      ),
  });

export const codeQuery = (project: string, sides: Sides) =>
  queryOptions({
    queryKey: ["compare-code", project, given(sides)],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/compare/code", {
          params: { path: { project }, query: given(sides) },
          signal,
        }),
      ),
  });

export const runCodeQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run-code", runId],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/runs/{run_id}/code", { params: { path: { run_id: runId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Of a run of rates or a soak. */
export const runRatesQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run-rates", runId],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/runs/{run_id}/rates", { params: { path: { run_id: runId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** One function's text; stage is null outside stages. */
export const sourceQuery = (project: string, sides: Sides, stage: string | null, name: string) =>
  queryOptions({
    queryKey: ["compare-source", project, given(sides), stage, name],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/compare/source", {
          params: {
            path: { project },
            query: { ...given(sides), function: name, ...(stage === null ? {} : { stage }) },
          },
          signal,
        }),
      ),
  });

/** The same of one run. */
export const runSourceQuery = (runId: string, stage: string | null, name: string) =>
  queryOptions({
    queryKey: ["run-source", runId, stage, name],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/runs/{run_id}/source", {
          params: {
            path: { run_id: runId },
            query: { function: name, ...(stage === null ? {} : { stage }) },
          },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const measuredQuery = (project: string, revision: string) =>
  queryOptions({
    queryKey: ["compare-measured", project, revision],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/compare/measured", {
          params: { path: { project }, query: { revision } },
          signal,
        }),
      ),
  });

export const revisionsQuery = (project: string, q: string) =>
  queryOptions({
    queryKey: ["revisions", project, q],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/revisions", {
          params: { path: { project }, query: { q, limit: OFFERED } },
          signal,
        }),
      ),
    placeholderData: keptFor("revisions", project),
  });
