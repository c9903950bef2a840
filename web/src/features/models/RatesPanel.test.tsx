// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { CostAndRate } from "../../shared/api/types";
import { correlationText } from "./RatesPanel";

const of = (rank_correlation: number | null): CostAndRate => ({
  host_class: "vm-2",
  rank_correlation,
  scenarios: [],
});

test("a perfect order says what it means", () => {
  expect(correlationText(of(-1))).toContain(
    "\u22121.00; each scenario that takes more cycles has a lower rate",
  );
});

test("another correlation says what a perfect one would mean", () => {
  expect(correlationText(of(-0.94))).toContain("\u22120.94; at \u22121, each scenario");
});

test("too few scenarios say what is missing", () => {
  expect(correlationText(of(null))).toContain("needs four scenarios");
});
