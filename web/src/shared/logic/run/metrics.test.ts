// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { MISSING, THIN } from "../text/format";
import { type MetricChange, metricRows } from "./metrics";

const exact: MetricChange = {
  metric: "table_bytes",
  unit: "bytes",
  outcome: "regressed",
  gates: true,
  base: 1000,
  head: 1100,
  ratio: 1.1,
  low: 1.1,
  high: 1.1,
  margin: 0.05,
};

describe("metricRows", () => {
  it("shows an exact change without an interval, and that it fails the check", () => {
    const [row] = metricRows([exact]);
    expect(row).toMatchObject({ base: `1000${THIN}bytes`, change: `+10.0${THIN}%`, fails: true, note: "" });
  });

  it("shows the interval of a varying metric, and its stage", () => {
    const [row] = metricRows([{ ...exact, metric: "cpp", stage: "nat", low: 1.05, high: 1.15 }]);
    expect(row).toMatchObject({ of: "nat", metric: "cpp", change: `+10.0${THIN}% [+5.0, +15.0]` });
  });

  it("names a C function that fails the check by itself", () => {
    const [row] = metricRows([{ ...exact, metric: "function_ipp", stage: "nat", function: "flow_find" }]);
    expect(row).toMatchObject({ of: "nat flow_find", metric: "ipp" });
  });

  it("shows a missing figure as missing, with its reason", () => {
    const gone = { ...exact, outcome: "missing", head: null, ratio: null, low: null, high: null };
    const [row] = metricRows([{ ...gone, reason: "head: it printed 'no'" }]);
    expect(row).toMatchObject({
      head: MISSING,
      change: MISSING,
      note: "head: it printed 'no'",
      fails: false,
    });
  });

  it("puts what is only shown behind, and says so", () => {
    const rows = metricRows([{ ...exact, metric: "code_bytes", gates: false }, exact]);
    expect(rows.map((row) => row.metric)).toEqual(["table_bytes", "code_bytes"]);
    expect(rows[1]).toMatchObject({ fails: false, note: expect.stringContaining("only shown") });
  });
});
