// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { ApiError } from "../../shared/api/client";
import { codeQuery, compareQuery } from "../../shared/api/compare";
import { scenariosQuery } from "../../shared/api/queries";
import { CodePanels } from "./CodePanel";
import { ComparePage } from "./ComparePage";

const SIDES = { base: "aaaa", head: "bbbb", scenario: "sfc_a" };
const address = vi.hoisted(() => ({ search: {} }));
vi.mock("@tanstack/react-router", () => ({
  Link: () => null,
  Navigate: () => null,
  useNavigate: () => () => {},
  getRouteApi: () => ({ useParams: () => ({ project: "demo" }), useSearch: () => address.search }),
}));
afterEach(cleanup);
afterAll(() => {
  vi.resetModules();
});

/** As after a refetch in the background that failed. */
function show(
  queryKey: QueryKey,
  data: object | undefined,
  part: ReactNode,
  error = new Error("gone"),
): void {
  const queries = new QueryClient({ defaultOptions: { queries: { enabled: false, retry: false } } });
  queries.setQueryData(scenariosQuery("demo").queryKey, []);
  if (data) queries.setQueryData(queryKey, data);
  queries.getQueryCache().build(queries, { queryKey }).setState({ status: "error", error });
  render(
    <QueryClientProvider client={queries}>
      <MantineProvider>{part}</MantineProvider>
    </QueryClientProvider>,
  );
}

const commit = (sha: string) => ({ sha, short_sha: sha });
const side = { scenario: "sfc_a", host: "h" };
const APART = {
  ...{
    base: commit("aaaa"),
    head: commit("bbbb"),
    scenario: "sfc_a",
    verdict: null,
    chain: null,
    stages: [],
  },
  ...{ rounds: { base: [], head: [], head_as_base: [] }, checks: [], host: null, notes: [], paired: false },
  ...{ run_ids: ["1", "2"], linked: [], sides: { base: side, head: side } },
};

test("a comparison that was read stays when reading it again fails", () => {
  address.search = SIDES;
  show(compareQuery("demo", SIDES).queryKey, APART, <ComparePage />);
  expect(screen.getByText("No verdict: aaaa and bbbb were measured in runs of their own.")).toBeTruthy();
});

test("two commits whose rounds have aged out have the other comparisons, and can be measured again", () => {
  address.search = SIDES;
  const linked = [{ stage: "chain", ratio: 1.02, low: 1.01, high: 1.03, level: 0.95 }];
  const notes = ["The report of run 1 aged out on 2026-11-21 09:00 UTC."];
  show(compareQuery("demo", SIDES).queryKey, { ...APART, linked, notes }, <ComparePage />);
  expect(screen.getByText("Change by all comparisons")).toBeTruthy();
  expect(screen.getByText(/aged out on 21\sNov\s2026, \d\d:00:00/)).toBeTruthy();
  expect(screen.getByText("nalm check --base aaaa --head bbbb")).toBeTruthy();
});

test("a pair that one run measured the other way round is not said to be of two runs", () => {
  address.search = SIDES;
  show(compareQuery("demo", SIDES).queryKey, { ...APART, run_ids: ["1"] }, <ComparePage />);
  expect(screen.getByText("No verdict: one run measured both, and judged aaaa against bbbb.")).toBeTruthy();
  expect(screen.queryByText(/nalm check/)).toBeNull();
});

test("nothing is measured side by side with itself", () => {
  const same = { ...SIDES, head: SIDES.base };
  address.search = same;
  const never = new ApiError(404, "not_measured", "aaaa and aaaa have not both been measured.");
  show(compareQuery("demo", same).queryKey, undefined, <ComparePage />, never);
  expect(screen.getByText("Both sides are the same commit")).toBeTruthy();
});

test("functions that were read stay when reading them again fails", () => {
  const read = { functions: [], instruction_flame: null, cycle_flame: null };
  show(
    codeQuery("demo", SIDES).queryKey,
    read,
    <CodePanels project="demo" sides={SIDES} search={SIDES} verdict={null} onChange={() => {}} />,
  );
  expect(screen.queryByText(/could not be read/)).toBeNull();
  expect(screen.getByText(/^Neither counted nor sampled/)).toBeTruthy();
});

test("functions of a report that has aged out are not said to be unreadable", () => {
  const gone = new ApiError(410, "report_expired", "The report of run r aged out on 2026-11-29.");
  show(
    codeQuery("demo", SIDES).queryKey,
    undefined,
    <CodePanels project="demo" sides={SIDES} search={SIDES} verdict={null} onChange={() => {}} />,
    gone,
  );
  expect(screen.getByText("The report of run r aged out on 2026-11-29.")).toBeTruthy();
  expect(screen.getByText("nalm check --base aaaa --head bbbb")).toBeTruthy();
  expect(screen.queryByText(/could not be read/)).toBeNull();
});
