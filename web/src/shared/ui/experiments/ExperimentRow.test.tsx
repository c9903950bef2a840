// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { Experiment } from "../../api/types";
import { ExperimentRow } from "./ExperimentRow";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
afterEach(cleanup);

const QUEUED: Experiment = {
  id: 11,
  project: "demo",
  kind: "queue",
  sha: "4d6e9ef0",
  state: "queued",
  message: null,
  names: ["nop"],
  parameters: {},
  cell_seconds: null,
  cells: 0,
  host_class: null,
  requested_by: "root",
  created_at: "2026-11-20T00:00:00Z",
  updated_at: "2026-11-20T00:00:00Z",
  finished_at: null,
};

test("an experiment that ended shows its end, though it was last read alone while it waited", () => {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(["experiment", 11], { ...QUEUED, job_id: null, result: null });
  const row = (experiment: Experiment) => (
    <QueryClientProvider client={queries}>
      <MantineProvider>
        <ExperimentRow experiment={experiment} />
      </MantineProvider>
    </QueryClientProvider>
  );
  const { container, rerender } = render(row(QUEUED));
  expect(container.textContent).toContain("Waits for a bench host");
  rerender(row({ ...QUEUED, state: "failed", message: "nalm.toml has no [experiments.queue]" }));
  expect(container.textContent).toContain("Failed");
  expect(container.textContent).toContain("nalm.toml has no [experiments.queue]");
});
