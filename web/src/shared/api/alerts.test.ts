// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { alertFacetsQuery, alertPagesQuery } from "./alerts";

test("the numbers above the list of alerts are read as often as the list", () => {
  expect(alertFacetsQuery("demo", {}).refetchInterval).toBe(alertPagesQuery("demo", {}).refetchInterval);
});
