// SPDX-License-Identifier: Apache-2.0
/** Jobs: lists, one, and what people do with them. */
import { queryOptions } from "@tanstack/react-query";
import { ENDED_STATES, isRunning, type JobAction, OPEN_STATES, RUNNING_STATES } from "../logic/queue";
import { body, client } from "./client";
import type { JobDetail, JobOrder, JobRequest, JobState } from "./types";

/** How often lists are read while changes are options of, and while they are not. Milliseconds. */
const LIVE_MS = 30_000;
const POLL_MS = 3_000;
/** So many jobs are read at once, and the server gives no more. */
export const MOST_JOBS = 500;
const ENDED_SHOWN = 30;
const OF_HOST = 20;

const jobsQuery = (
  name: string,
  project: string | undefined,
  state: readonly JobState[],
  limit: number,
  live: boolean,
  more: { host?: string; order?: JobOrder } = {},
) =>
  queryOptions({
    queryKey: ["jobs", name, project ?? null, more.host ?? null],
    queryFn: ({ signal }) =>
      body(
        client.GET("/api/v1/jobs", {
          params: { query: { state: [...state], limit, ...(project && { project }), ...more } },
          signal,
        }),
      ),
    refetchInterval: live ? LIVE_MS : POLL_MS,
  });

/** The first ones of the queue; they show their places. */
export const waitingJobsQuery = (project: string | undefined, live: boolean) =>
  jobsQuery("waiting", project, ["queued"], MOST_JOBS, live, { order: "queue" });

export const runningJobsQuery = (project: string | undefined, live: boolean) =>
  jobsQuery("running", project, RUNNING_STATES, MOST_JOBS, live);

export const endedJobsQuery = (project: string | undefined, live: boolean) =>
  jobsQuery("ended", project, ENDED_STATES, ENDED_SHOWN, live);

/** Newest first; of a backfill the caller takes those of it. */
export const allJobsQuery = (project: string, live: boolean) =>
  jobsQuery("all", project, [...OPEN_STATES, ...ENDED_STATES], MOST_JOBS, live);

/** Newest first: what it works on and what it worked on last. */
export const hostJobsQuery = (host: string) =>
  jobsQuery("host", undefined, [...OPEN_STATES, ...ENDED_STATES], OF_HOST, true, { host });

export const jobQuery = (job_id: number, live = false) =>
  queryOptions({
    queryKey: ["job", job_id],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/jobs/{job_id}", { params: { path: { job_id } }, signal })),
    refetchInterval: (query) => {
      const job = query.state.data;
      if (job && !isRunning(job) && job.state !== "queued") return false;
      return live ? LIVE_MS : POLL_MS;
    },
  });

export function actOnJob(action: JobAction, job_id: number, reason = ""): Promise<JobDetail> {
  const options = { params: { path: { job_id } }, body: { reason } };
  switch (action) {
    case "cancel":
      return body(client.POST("/api/v1/jobs/{job_id}/cancel", options));
    case "retry":
      return body(client.POST("/api/v1/jobs/{job_id}/retry", options));
    case "boost":
      return body(client.POST("/api/v1/jobs/{job_id}/boost", options));
    case "approve":
      return body(client.POST("/api/v1/jobs/{job_id}/approve", options));
    case "reject":
      return body(client.POST("/api/v1/jobs/{job_id}/reject", options));
  }
}

export const measure = (project: string, request: JobRequest): Promise<JobDetail> =>
  body(client.POST("/api/v1/projects/{project}/jobs", { params: { path: { project } }, body: request }));
