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
  ...{ price_cycles_per_packet: null, price_low: null, price_high: null, recovery: null, unchanged: true },
});
const VERDICTS = [verdict("sfc_a"), verdict("sfc_b")];
const COMMIT = {
  ...{ sha: "eeee", short_sha: "eeee", parent_sha: "dddd", subject: "nat: a cache" },
  ...{ author: null, committed_at: null, job: null, skipped: null },
  ...{ verdicts: VERDICTS.slice(0, 1), outcomes: { same: 2 } },
} as CommitSummary;

function shown(commit: CommitSummary, opened = false) {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(commitQuery("demo", "eeee").queryKey, { ...commit, verdicts: VERDICTS } as never);
  render(
    <QueryClientProvider client={queries}>
      <MantineProvider>
        <CommitRow
          {...{ project: "demo", commit, now: 0, reach: 0.1, nameScenarios: true, place: {} }}
          {...{ marked: false, chosen: false, opened }}
          {...{ onFocus: () => {}, onChoose: () => {}, onOpen: () => {} }}
        />
      </MantineProvider>
    </QueryClientProvider>,
  );
}

test("a commit is compared with the base of its run, which need not be its parent", () => {
  shown(COMMIT, true);
  const links = [...document.querySelectorAll("a")].map((one) => one.getAttribute("href"));
  expect(links).toEqual([
    "?head=eeee&scenario=sfc_a",
    "?head=eeee&scenario=sfc_a",
    "?head=eeee&scenario=sfc_b",
  ]);
});

const PRICED = {
  ...{ unchanged: false, features_added: ["dpi"], price_cycles_per_packet: 400, price_low: 398.14 },
  ...{ price_high: 401.86, ratio_cpp: 1.1, low: 1.09, high: 1.11 },
};
const changeOf = (display: "feature" | "regressed"): string | null | undefined => {
  const verdicts = [{ ...verdict("sfc_a"), ...PRICED, display }];
  shown({ ...COMMIT, verdicts } as CommitSummary);
  return document.querySelector(".commit-change")?.textContent;
};

test("a price stands with its interval", () => {
  expect(changeOf("feature")).toBe("+400.0 [+398.1, +401.9] cycles/packetprice of the feature");
});

test("what a commit with a feature made slower stands beside its verdict, not the price", () => {
  expect(changeOf("regressed")).toContain("+10.0");
  expect(changeOf("regressed")).not.toContain("400");
});
