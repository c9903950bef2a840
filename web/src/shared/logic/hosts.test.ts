// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { capabilityWords, share, sparkline } from "./hosts";
import { MISSING, THIN } from "./text/format";

test("what a host has, without what it has not but for the PMU", () => {
  const has = { lcores: 4, pmu: false, nics: 0, hugepages_mb: 2048, memory_mb: 0, isolated_cpus: 0 };
  expect(capabilityWords(has)).toEqual(["4 lcores", "no PMU", `2${THIN}GiB in huge pages`]);
  expect(capabilityWords({ ...has, lcores: 1, nics: 1 }).slice(0, 3)).toEqual(["1 lcore", "no PMU", "1 NIC"]);
  expect(capabilityWords({ ...has, generators: ["lab"] }).slice(-1)).toEqual(["generator lab"]);
  expect(capabilityWords({ ...has, generators: ["lab", "rack"] }).slice(-1)).toEqual([
    "generators lab, rack",
  ]);
  expect(capabilityWords({ ...has, generators: [] })).toEqual(capabilityWords(has));
  expect(capabilityWords(null)).toEqual(["hardware not reported"]);
});

test("a share that is not known is no zero", () => {
  expect(share(null)).toBe(MISSING);
  expect(share(0)).not.toBe(MISSING);
});

test("a share of next to nothing has no digits of rounding", () => {
  expect(share(3e-15)).toBe(`< 0.0001${THIN}%`);
  expect(share(2e-5)).toBe(`0.0020${THIN}%`);
});

test("a sparkline runs from corner to corner and leaves gaps", () => {
  expect(sparkline([1, 3])).toEqual({ pieces: ["0.0,22.0 100.0,2.0"], low: 1, high: 3 });
  expect(sparkline([1, null, 2, 3])?.pieces).toHaveLength(2);
  expect(sparkline([1, null])).toBeNull();
  expect(sparkline([5, 5])?.pieces).toEqual(["0.0,22.0 100.0,22.0"]);
  expect(sparkline([5, 6], 4)?.pieces).toEqual(["0.0,14.5 100.0,9.5"]);
});
