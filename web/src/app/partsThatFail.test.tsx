// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
/** A part of a page that cannot be read says so; without it, the page would look as if there were nothing. */
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { FitPanels } from "../features/features/FitPanels";
import { LinksPanel } from "../features/history/LinksPanel";
import { HostFactors } from "../features/hosts/HostFactors";
import { AcceptancePanel } from "../features/runs/AcceptancePanel";
import { acceptanceQuery } from "../shared/api/alerts";
import { experimentQuery, experimentsQuery } from "../shared/api/experiments";
import { factorsQuery } from "../shared/api/hosts";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
afterEach(cleanup);

const PARTS: [string, QueryKey, ReactNode][] = [
  ["What moves measurements", factorsQuery().queryKey, <HostFactors key="" />],
  [
    "Comparisons behind these levels",
    ["links", "demo", "sfc_a"],
    <LinksPanel key="" project="demo" scenario="sfc_a" />,
  ],
  ["Cost model", experimentQuery(7).queryKey, <FitPanels key="" project="demo" />],
  ["Acceptance", acceptanceQuery("r").queryKey, <AcceptancePanel key="" project="demo" runId="r" />],
];

test.each(PARTS)("%s", (title, queryKey, part) => {
  const queries = new QueryClient({ defaultOptions: { queries: { enabled: false, retry: false } } });
  queries.setQueryData(experimentsQuery("demo", "features").queryKey, [{ id: 7, state: "done" }] as never);
  queries
    .getQueryCache()
    .build(queries, { queryKey })
    .setState({ status: "error", error: new Error("gone") });
  render(
    <QueryClientProvider client={queries}>
      <MantineProvider>{part}</MantineProvider>
    </QueryClientProvider>,
  );
  expect(screen.getByRole("heading", { name: title })).toBeTruthy();
  expect(screen.getByRole("alert").textContent).toContain("gone");
  expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
});
