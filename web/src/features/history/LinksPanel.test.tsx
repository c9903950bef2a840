// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { LinkReport } from "../../shared/api/types";
import { LinksPanel } from "./LinksPanel";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
afterEach(cleanup);

const PLANNED: LinkReport["planned"][number] = {
  base_sha: "7eeb56c4e188",
  head_sha: "f517849c1806",
  distance: 4,
  why: "bridge",
  host: null,
  error_before: 0.002,
  error_after: 0.001,
  gain: 0.75,
};

function show(links: number, planned: LinkReport["planned"]): void {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const of: LinkReport = {
    ...{ scenario: "sfc_a", host_class: "vm-2", links, checks: 0, scale: 1, misfits: [], hosts: [], planned },
    seconds_each: 40,
  };
  queries.setQueryData(["links", "demo", "sfc_a"], of);
  render(
    <QueryClientProvider client={queries}>
      <MantineProvider>
        <LinksPanel project="demo" scenario="sfc_a" />
      </MantineProvider>
    </QueryClientProvider>,
  );
}

const texts = (selector: string): (string | null)[] =>
  [...document.querySelectorAll(selector)].map((one) => one.textContent);

test("comparisons of named hosts have these in a column, beside those that any host makes", () => {
  show(24, [{ ...PLANNED, host: "new-bench" }, PLANNED]);
  expect(texts("thead th").slice(0, 3)).toEqual(["Comparison", "Host", "Commits apart"]);
  expect(texts("tbody tr td:nth-child(2)")).toEqual(["new-bench", "any"]);
  cleanup();
  show(24, [PLANNED]);
  expect(texts("thead th")).not.toContain("Host");
});

test("one comparison is no comparisons", () => {
  show(1, []);
  expect(screen.getByText(/comparison/, { selector: "p" }).textContent).toContain(
    "1 comparison of the chain",
  );
});
