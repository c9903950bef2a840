// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { LineColumns } from "../../shared/api/types";
import { unpackCommits, unpackMetric, unscaled } from "./unpack";

const change = { step: 0.01, value: [100, 4], below: [1, 1], skew: [1, 1] };
const columns = {
  metrics: [{ name: "cpp" }, { name: "ipp" }],
  commits: { sha: ["aaaa", "bbbb", "cccc"], subject: ["a", null, "c"], seconds: [1000, null, 60] },
  lines: [
    {
      scenario: "sfc_a",
      branch: null,
      host_class: "vm-2",
      at: [0, 2],
      base_at: [null, 2],
      other_bases: { "0": "eeee" },
      display: [
        { display: "same", runs: 1 },
        { display: "regressed", runs: 1 },
      ],
      change,
      series: [
        {
          metric: 0,
          stage: "chain",
          function: null,
          linked: true,
          same_features: { step: 1, value: [290, null], below: null, skew: null },
          step: 0.5,
          value: [600, null],
          below: [2, null],
          skew: [2, null],
        },
        { metric: 1, stage: "chain", function: null, step: 0.1, value: [7, 1], below: null, skew: null },
      ],
      missing: [null, "not counted"],
      environments: [[], []],
      change_points: [],
      segments: [],
    },
  ],
  releases: [],
} as unknown as LineColumns;

describe("packed columns", () => {
  const commits = unpackCommits(columns.commits);

  test("times are the sums of their differences; an unknown one stays unknown", () => {
    expect(commits.committed_at).toEqual(["1970-01-01T00:16:40.000Z", null, "1970-01-01T00:17:40.000Z"]);
  });

  test("a metric has its own series and the line's runs", () => {
    const line = unpackMetric(columns, commits, "ipp")?.lines[0];
    expect(line?.at).toEqual([0, 2]);
    expect(line?.base_sha).toEqual(["eeee", "aaaa"]);
    expect(line?.display).toEqual(["same", "regressed"]);
    expect(line?.stages).toHaveLength(1);
    expect(line?.stages[0]?.value.map((one) => one?.toFixed(1))).toEqual(["0.7", "0.8"]);
    expect(line?.stages[0]?.low).toEqual([null, null]);
    expect(line?.missing).toBe("not counted");
    const first = unpackMetric(columns, commits, "cpp")?.lines[0]?.stages[0];
    expect([first?.linked, first?.same_features]).toEqual([true, [290, null]]);
    expect(unpackMetric(columns, commits, "pps")).toBeUndefined();
  });

  test("an interval's ends are distances from the value; what was not measured is missing, never 0", () => {
    const found = unscaled(columns.lines[0]?.series[0] as never);
    expect(found).toEqual({ value: [300, null], low: [299, null], high: [302, null] });
  });
});
