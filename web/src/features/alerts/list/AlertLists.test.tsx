// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ComponentProps } from "react";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { sessionQuery } from "../../../shared/api/session";
import type { Alert, SignedIn } from "../../../shared/api/types";
import { AlertLists } from "./AlertLists";

vi.mock("@tanstack/react-router", () => ({
  Link: ({
    to: _to,
    params: _params,
    search: _search,
    ...rest
  }: ComponentProps<"a"> & { [key: string]: unknown }) => (
    <a href="/" {...rest}>
      An alert
    </a>
  ),
}));
afterEach(cleanup);
afterAll(() => {
  vi.resetModules();
});

const alert = (id: number, state: Alert["state"] = "confirmed") =>
  ({
    ...{ id, state, project: "demo", sha: "aaaa", subject: null, author: null, kind: "regression" },
    ...{ scenario: "sfc_a", scenarios: ["sfc_a"], metric: "cpp", metric_title: "CPP", ratio: 1.1 },
    ...{ low: 1.05, high: 1.15, bound: null, stage: null, function: null, cause: null, detail: null },
    ...{ confirmed_at: "2026-11-21T10:00:00Z", fix_measured_at: null, fixed_by_sha: null, recovery: null },
    ...{ created_at: "2026-11-21T10:00:00Z", updated_at: "2026-11-21T10:00:00Z", reason: null },
    ...{ after_sha: null, assignee: null, drift_end_sha: null, file: null, line: null, muted: false },
    ...{ severity: 1 },
  }) as Alert;

function lists(first: Alert[], more: boolean) {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const me = { name: "mona", administrator: true, roles: [] } as unknown as SignedIn;
  queries.setQueryData(sessionQuery().queryKey, me);
  const onMore = vi.fn();
  const of = (alerts: Alert[]) => (
    <QueryClientProvider client={queries}>
      <MantineProvider>
        <AlertLists
          project="demo"
          alerts={alerts}
          filtered={false}
          reading={false}
          more={more}
          onAll={() => {}}
          onMore={onMore}
        />
      </MantineProvider>
    </QueryClientProvider>
  );
  const { rerender } = render(of(first));
  return { onMore, become: (alerts: Alert[]) => rerender(of(alerts)) };
}

const isChosen = (id: number): boolean =>
  screen.getByLabelText<HTMLInputElement>(`Choose alert ${id}`).checked;

test("further alerts can be read however few of the first are findings", () => {
  const { onMore } = lists([alert(1), alert(2, "new")], true);
  fireEvent.click(screen.getByText("Show further alerts"));
  expect(onMore).toHaveBeenCalledTimes(1);
  cleanup();
  lists([alert(1)], false);
  expect(screen.queryByText("Show further alerts")).toBeNull();
});

test("the key acts on the alert that has the focus, also after another one came above it", () => {
  const { become } = lists([alert(1), alert(2)], false);
  const [first] = screen.getAllByText("An alert");
  if (first === undefined) throw new Error("no row");
  fireEvent.focus(first);
  become([alert(3), alert(1), alert(2)]);
  fireEvent.keyDown(document, { key: "x" });
  expect([1, 2, 3].map(isChosen)).toEqual([true, false, false]);
});
