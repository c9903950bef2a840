// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JobChange } from "../../api/live";
import { useLiveJobs } from "./useLive";

const stream = vi.hoisted(() => ({ job: (_: JobChange) => {}, live: (_: boolean) => {} }));
vi.mock("../../api/live", () => ({
  follow: (_: object, job: (change: JobChange) => void, live: (now: boolean) => void) => {
    Object.assign(stream, { job, live });
    return () => {};
  },
}));
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function Queue() {
  useLiveJobs({});
  return null;
}

function shown() {
  const queries = new QueryClient();
  const renewed = vi.spyOn(queries, "invalidateQueries");
  render(
    <QueryClientProvider client={queries}>
      <Queue />
    </QueryClientProvider>,
  );
  return renewed;
}

test("lists are read again while jobs move all the time", () => {
  const renewed = shown();
  for (let moved = 0; moved < 10; moved++) {
    stream.job({ id: moved, state: "queued" } as JobChange);
    vi.advanceTimersByTime(100);
  }
  expect(renewed.mock.calls.length).toBeGreaterThanOrEqual(2);
});

test("lists are read again when the server comes back, not when it first answers", () => {
  const renewed = shown();
  stream.live(true);
  vi.advanceTimersByTime(1000);
  expect(renewed).not.toHaveBeenCalled();
  stream.live(false);
  stream.live(true);
  vi.advanceTimersByTime(1000);
  expect(renewed).toHaveBeenCalledTimes(1);
});
