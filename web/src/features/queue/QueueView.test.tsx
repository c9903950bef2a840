// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render } from "@testing-library/react";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { endedJobsQuery, openJobsQuery } from "../../shared/api/jobs";
import { sessionQuery } from "../../shared/api/session";
import type { Job } from "../../shared/api/types";
import { QueueView } from "./QueueView";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
afterEach(cleanup);
afterAll(() => {
  vi.resetModules();
});

const job = (id: number, reason: string) =>
  ({
    ...{
      id,
      reason,
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

test("a filtered queue shows each job's place in the whole one", () => {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const waiting = [job(1, "push"), job(2, "person"), job(3, "push"), job(4, "person")];
  queries.setQueryData(openJobsQuery(undefined, true).queryKey, waiting);
  queries.setQueryData(endedJobsQuery(undefined, true).queryKey, []);
  queries.setQueryData(sessionQuery().queryKey, { name: null } as never);
  render(
    <QueryClientProvider client={queries}>
      <MantineProvider>
        <QueueView project={undefined} reasons={["person"]} live />
      </MantineProvider>
    </QueryClientProvider>,
  );
  const places = [...document.querySelectorAll(".job-place")].map((one) => one.textContent);
  expect(places).toEqual(["2", "4"]);
});
