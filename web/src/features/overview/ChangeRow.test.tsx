// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom

import { MantineProvider } from "@mantine/core";
import { cleanup, render } from "@testing-library/react";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { AlertChange } from "../../shared/api/types";
import { ChangeRow } from "./ChangeRow";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
afterEach(cleanup);
afterAll(() => {
  vi.resetModules();
});

const change = (who: string | null): AlertChange => ({
  ...{ state: "fixed", at: "2026-11-21T10:00:00Z", who, why: "now -3 %" },
  alert: { id: 1, project: "demo", kind: "broken", sha: "aaaa", scenario: "a", scenarios: ["a"] } as never,
});

test.each([
  ["mona", "now -3 %"],
  [null, "Now \u22123\u202f%"],
])("the reason of %s is in their own words", (who, words) => {
  render(
    <MantineProvider>
      <ChangeRow change={change(who)} now={0} />
    </MantineProvider>,
  );
  expect(document.querySelector(".summary")?.textContent).toBe(words);
});
