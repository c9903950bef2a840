// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { commitQuery } from "../../shared/api/queries";
import type { CommitSummary, VerdictBrief } from "../../shared/api/types";
import { CommitRow } from "./CommitRow";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ search, children }: { search?: object; children?: ReactNode }) => (
    <a href={`?${new URLSearchParams(Object.entries(search ?? {}))}`}>{children}</a>
  ),
}));
afterEach(cleanup);
afterAll(() => {
  vi.resetModules();
});

const verdict = (scenario: string): VerdictBrief => ({
  ...{ run_id: scenario, scenario, display: "same", outcome: "same", summary: "", ratio_cpp: 1, stage: null },
  ...{ cause: null, features_added: [], features_removed: [], fixes_sha: null, low: null, high: null },
  ...{ price_cycles_per_packet: null, recovery: null, unchanged: true },
});
const VERDICTS = [verdict("sfc_a"), verdict("sfc_b")];
const COMMIT = {
  ...{ sha: "eeee", short_sha: "eeee", parent_sha: "dddd", subject: "nat: a cache" },
  ...{ author: null, committed_at: null, job: null, skipped: null },
  ...{ verdicts: VERDICTS.slice(0, 1), outcomes: { same: 2 } },
} as CommitSummary;

test("a commit is compared with the base of its run, which need not be its parent", () => {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const { queryKey } = commitQuery("demo", "eeee");
  queries.setQueryData(queryKey, { ...COMMIT, verdicts: VERDICTS } as never);
  render(
    <QueryClientProvider client={queries}>
      <MantineProvider>
        <CommitRow
          {...{ project: "demo", commit: COMMIT, now: 0, reach: 0.1, nameScenarios: true, place: {} }}
          {...{ marked: false, chosen: false, opened: true }}
          {...{ onFocus: () => {}, onChoose: () => {}, onOpen: () => {} }}
        />
      </MantineProvider>
    </QueryClientProvider>,
  );
  const links = [...document.querySelectorAll("a")].map((one) => one.getAttribute("href"));
  expect(links).toEqual([
    "?head=eeee&scenario=sfc_a",
    "?head=eeee&scenario=sfc_a",
    "?head=eeee&scenario=sfc_b",
  ]);
});
