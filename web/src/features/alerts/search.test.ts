// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { expect, test } from "vitest";
import { alertsSearch } from "./search";

test("the list's address keeps what is understood", () => {
  expect(
    v.parse(alertsSearch, { state: "fixed,later", order: "new", scenario: "sfc_a", assignee: "" }),
  ).toEqual({
    state: "fixed",
    order: "new",
    scenario: "sfc_a",
  });
  expect(v.parse(alertsSearch, { state: "any", order: "worth" })).toEqual({ state: "any" });
});
