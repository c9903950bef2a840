// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { commonKind, kindOf, mainMetricsOf } from "./kinds";

describe("the kind of a history", () => {
  it("is the end of its name", () => {
    expect(["sfc_a", "sfc_a:rate", "sfc_a:soak", ":rate", "a:rates"].map(kindOf)).toEqual([
      "cycles",
      "rate",
      "soak",
      "cycles",
      "cycles",
    ]);
  });

  it("is common to all or none", () => {
    expect(commonKind(["a:rate", "b:rate"])).toBe("rate");
    expect(commonKind(["a:rate", "b"])).toBe("cycles");
    expect(commonKind([])).toBe("cycles");
    expect(mainMetricsOf("rate")[0]).toBe("latency_p99_ns");
  });
});
