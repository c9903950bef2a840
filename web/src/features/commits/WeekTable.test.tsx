// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterAll, expect, test, vi } from "vitest";
import type { Week } from "../../shared/api/types";
import { WeekTable } from "./WeekTable";

/** The reader is west of Greenwich, from before the formats of the page are made. */
const DateTimeFormat = vi.hoisted(() => {
  const original = Intl.DateTimeFormat;
  class West extends original {
    constructor(locale?: string, options?: Intl.DateTimeFormatOptions) {
      super(locale, { timeZone: "America/New_York", ...options });
    }
  }
  vi.resetModules();
  Intl.DateTimeFormat = West as typeof original;
  return original;
});
afterAll(() => {
  cleanup();
  Intl.DateTimeFormat = DateTimeFormat;
  vi.resetModules();
});

test("a week begins on its Monday for every reader", () => {
  const overall = { mean: null, low: null, high: null, averaged: 0, unchanged: 0 };
  const week = { week: "2026-W48", start: "2026-11-23", commits: 0, measured: 0, overall } as unknown as Week;
  render(
    <QueryClientProvider client={new QueryClient()}>
      <WeekTable project="demo" weeks={[week]} open={undefined} onOpen={() => {}} />
    </QueryClientProvider>,
  );
  expect(screen.getByText(/^from /).textContent).toBe("from 23\u00a0Nov\u00a02026");
});
