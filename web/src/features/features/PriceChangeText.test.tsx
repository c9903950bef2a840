// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { PriceChange } from "../../shared/api/types";
import { PriceChangeText } from "./PriceChangeText";

afterEach(cleanup);

const shown = (part: Partial<PriceChange>): string => {
  const of: PriceChange = {
    since: { sha: "a1", short_sha: "a1", subject: "base", author: null, committed_at: null },
    before_cycles: 150,
    change_cycles: 30,
    ratio: 1.2,
    apart: true,
    linked: false,
    stage: "nat",
    ...part,
  };
  return render(<PriceChangeText of={of} />).container.textContent ?? "";
};

test("a change of a price says whether it is linked, and whether its interval allows none", () => {
  expect(shown({})).toContain("most in nat, intervals apart, as measured");
  expect(shown({ apart: false })).toContain("within the intervals, as measured");
  expect(shown({ linked: true })).toContain("interval without 0, linked");
  expect(shown({ linked: true, apart: false })).toContain("interval with 0, linked");
  expect(shown({ apart: null, stage: null }).endsWith(")as measured")).toBe(true);
});
