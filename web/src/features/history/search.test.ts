// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { expect, test } from "vitest";
import { historySearch } from "./search";

test("a metric is shown whatever digits its name has", () => {
  for (const metric of ["cpp", "latency_p99_ns", "l1d_hit_ratio", "p50"])
    expect(v.parse(historySearch, { metric }).metric).toBe(metric);
  expect(v.parse(historySearch, { metric: "9_lives" }).metric).toBeUndefined();
});
