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

test("a comparison that was read stays when reading it again fails", () => {
  address.search = SIDES;
  const commit = { sha: "aaaa", short_sha: "aaaa" };
  const side = { scenario: "sfc_a", host: "h" };
  const read = {
    ...{ base: commit, head: commit, scenario: "sfc_a", verdict: null, chain: null, stages: [], checks: [] },
    ...{
      rounds: { base: [], head: [], head_as_base: [] },
      host: null,
      notes: [],
      paired: false,
      run_ids: [],
      linked: [],
      sides: { base: side, head: side },
    },
  };
  show(compareQuery("demo", SIDES).queryKey, read, <ComparePage />);
  expect(screen.getByText(/^No verdict: /)).toBeTruthy();
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
  expect(screen.queryByText(/could not be read/)).toBeNull();
});
