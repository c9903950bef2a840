// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { endedJobsQuery, MOST_JOBS, runningJobsQuery, waitingJobsQuery } from "../../shared/api/jobs";
import { sessionQuery } from "../../shared/api/session";
import type { Job } from "../../shared/api/types";
import { QueueView } from "./QueueView";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
afterEach(cleanup);
afterAll(() => {
  vi.resetModules();
});

const job = (id: number, reason: string, queue_position = id) =>
  ({
    ...{
      id,
      reason,
      queue_position,
      project: "demo",
      state: "queued",
      kind: "cycles",
      priority: 1,
      attempts: 1,
      outcomes: {},
    },
    ...{ base_sha: "aaaa", head_sha: "bbbb", subject: null, author: null, scenarios: null, step: null },
    ...{ created_at: "2026-11-21T10:00:00Z", updated_at: "2026-11-21T10:00:00Z", message: "no host yet" },
    ...{ leased_at: null, finished_at: null, not_before: null, approved_at: null, approved_by: null },
    ...{ alert_id: null, backfill_id: null, bisect_id: null, experiment_id: null, pull_request: null },
    ...{ detail: null, fork: null, fraction: null, held: null, host: null, queued_for: null },
    ...{ not_host: null, only_host: null, requested_by: null },
  }) as Job;

function show(waiting: readonly Job[], reasons: readonly string[]): void {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(waitingJobsQuery(undefined, true).queryKey, [...waiting]);
  for (const { queryKey } of [runningJobsQuery(undefined, true), endedJobsQuery(undefined, true)])
    queries.setQueryData(queryKey, []);
  queries.setQueryData(sessionQuery().queryKey, { name: null } as never);
  render(
    <QueryClientProvider client={queries}>
      <MantineProvider>
        <QueueView project={undefined} reasons={reasons} live />
      </MantineProvider>
    </QueryClientProvider>,
  );
}

test("a filtered queue shows each job's place in the whole one, in the server's order", () => {
  show([job(7, "person", 1), job(1, "push", 2), job(4, "person", 3), job(3, "push", 4)], ["person"]);
  const places = [...document.querySelectorAll(".job-place")].map((one) => one.textContent);
  expect(places).toEqual(["1", "3"]);
  expect(screen.queryByText(/More jobs wait/)).toBeNull();
});

test("a queue that is longer than what is read says so", () => {
  const many = Array.from({ length: MOST_JOBS }, (_, at) => job(at + 1, at === 0 ? "person" : "push"));
  show(many, ["person"]);
  expect(screen.getByText(/The first 500 of the queue\. More jobs wait/)).toBeTruthy();
  cleanup();
  show(many, ["bisect"]);
  expect(screen.queryByText("The queue is empty")).toBeNull();
  expect(screen.getByText("None among the first 500 of the queue.")).toBeTruthy();
});
