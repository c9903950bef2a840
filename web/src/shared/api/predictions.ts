// SPDX-License-Identifier: Apache-2.0
/** Models of what follows from measured runs: their inputs, and answers, which are computed and not stored. */
import { queryOptions } from "@tanstack/react-query";
import { body, client } from "./client";
import { keptFor } from "./kept";
import type {
  BudgetInput,
  CapacityInput,
  CostInput,
  LinesInput,
  ModelInputs,
  QueueInput,
  RolesInput,
  SpeedupInput,
} from "./types";

/** Answers to equal inputs are equal. */
const ALWAYS = Number.POSITIVE_INFINITY;

export const predictableQuery = (project: string) =>
  queryOptions({
    queryKey: ["predictable", project],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/projects/{project}/predictions", { params: { path: { project } }, signal })),
  });

export const boundsQuery = (project: string) =>
  queryOptions({
    queryKey: ["bounds", project],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/projects/{project}/predictions/bounds", {
          params: { path: { project } },
          signal,
        }),
      ),
  });

export const modelInputsQuery = (run_id: string) =>
  queryOptions({
    queryKey: ["model-inputs", run_id],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/runs/{run_id}/model-inputs", { params: { path: { run_id } }, signal }),
      ) as Promise<ModelInputs>, // the client's type loses that a batch has two numbers
    staleTime: ALWAYS,
  });

const answer = <Input, Result>(
  name: string,
  project: string,
  input: Input,
  ask: (signal: AbortSignal) => Promise<Result>,
) =>
  queryOptions({
    queryKey: ["prediction", name, project, input],
    queryFn: ({ signal }) => ask(signal),
    staleTime: ALWAYS,
    placeholderData: keptFor("prediction", name, project),
  });

export const budgetQuery = (project: string, input: BudgetInput) =>
  answer("budget", project, input, (signal) =>
    body(
      client.POST("/api/v1/projects/{project}/predictions/budget", {
        params: { path: { project } },
        body: input,
        signal,
      }),
    ),
  );

export const speedupQuery = (project: string, input: SpeedupInput) =>
  answer("speedup", project, input, (signal) =>
    body(
      client.POST("/api/v1/projects/{project}/predictions/speedup", {
        params: { path: { project } },
        body: input,
        signal,
      }),
    ),
  );

export const rolesQuery = (project: string, input: RolesInput) =>
  answer("roles", project, input, (signal) =>
    body(
      client.POST("/api/v1/projects/{project}/predictions/roles", {
        params: { path: { project } },
        body: input,
        signal,
      }),
    ),
  );

export const linesQuery = (project: string, input: LinesInput) =>
  answer("lines", project, input, (signal) =>
    body(
      client.POST("/api/v1/projects/{project}/predictions/lines", {
        params: { path: { project } },
        body: input,
        signal,
      }),
    ),
  );

export const queueAnswerQuery = (project: string, input: QueueInput) =>
  answer("queue", project, input, (signal) =>
    body(
      client.POST("/api/v1/projects/{project}/predictions/queue", {
        params: { path: { project } },
        body: input,
        signal,
      }),
    ),
  );

export const capacityQuery = (project: string, input: CapacityInput) =>
  answer("capacity", project, input, (signal) =>
    body(
      client.POST("/api/v1/projects/{project}/predictions/capacity", {
        params: { path: { project } },
        body: input,
        signal,
      }),
    ),
  );

export const costQuery = (project: string, input: CostInput) =>
  answer("cost", project, input, (signal) =>
    body(
      client.POST("/api/v1/projects/{project}/predictions/cost", {
        params: { path: { project } },
        body: input,
        signal,
      }),
    ),
  );
