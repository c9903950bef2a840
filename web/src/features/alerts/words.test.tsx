// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { AlertDetail } from "../../shared/api/types";
import { AlertBanner } from "./AlertBanner";
import { AlertCulprit } from "./AlertCulprit";
import { AlertTrail } from "./AlertTrail";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
afterEach(cleanup);
afterAll(() => {
  vi.resetModules();
});

const WORDS = "rerun of 2026-11-21 12:00 gave -3 %";
const ALERT = {
  ...{ id: 1, project: "demo", kind: "broken", state: "false_alarm", reason: WORDS, sha: "aaaa" },
  ...{ scenario: "sfc_a", scenarios: ["sfc_a"], metric: "cpp", ratio: null, stage: null, recovery: null },
  ...{ after_sha: null, bound: null, confirmed_at: null, created_at: "2026-11-21T10:00:00Z", file: null },
  ...{ fixed_by_sha: null, merged_into: null, expectations: [], mistakes: [], comments: [] },
  confirming: { state: "measuring", why: "being measured again" },
  history: [
    { state: "new", at: "2026-11-21T10:00:00Z", who: null, why: "now -3 %", notified: false, messages: null },
    {
      state: "false_alarm",
      at: "2026-11-21T13:00:00Z",
      who: "mona",
      why: WORDS,
      notified: false,
      messages: null,
    },
  ],
} as unknown as AlertDetail;

const show = (part: ReactNode) =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { enabled: false } } })}>
      <MantineProvider>{part}</MantineProvider>
    </QueryClientProvider>,
  );

test("a person's words are shown as they were written, the server's with the page's signs", () => {
  show(<AlertTrail alert={ALERT} />);
  const texts = [...document.querySelectorAll(".trail-text")].map((one) => one.textContent);
  expect(texts).toEqual(["Now \u22123\u202f%", WORDS]);
  cleanup();
  show(<AlertBanner alert={ALERT} />);
  expect(document.querySelector(".alert-reason")?.textContent).toBe(WORDS);
});

test("an alert that is being measured again is not said to be left alone", () => {
  show(<AlertCulprit alert={ALERT} />);
  expect(screen.queryByText("not measured again")).toBeNull();
  expect(screen.getByText("confirmation is running")).toBeTruthy();
});
