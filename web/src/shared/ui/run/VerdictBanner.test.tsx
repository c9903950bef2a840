// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { Change, Verdict } from "../../api/types";
import { VerdictBanner } from "./VerdictBanner";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
afterEach(cleanup);
afterAll(() => {
  vi.resetModules();
});

const CHAIN = {
  ...{ ratio_cpp: 1.02, low: 1.01, high: 1.03, level: 0.95, ln_ipp: null, ln_eipc: null },
  ...{ base: { cpp: 500, ipp: null, eipc: null }, head: { cpp: 510, ipp: null, eipc: null } },
} as unknown as Change;

const show = (verdict: Verdict | null) =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { enabled: false } } })}>
      <MantineProvider>
        <VerdictBanner project="demo" verdict={verdict} chain={CHAIN} without="Not side by side." />
      </MantineProvider>
    </QueryClientProvider>,
  );

test("a pair of two runs leaves to its notes why instructions are not compared", () => {
  show(null);
  expect(screen.getAllByText("not compared")).toHaveLength(2);
  expect(screen.queryByText(/not counted/)).toBeNull();
  cleanup();
  show({ display: "same", reason: "Same.", features_added: [], features_removed: [] } as unknown as Verdict);
  expect(screen.getAllByText("not counted on both sides")).toHaveLength(2);
});
