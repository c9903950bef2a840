// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { ModelInputs } from "../../shared/api/types";
import {
  atMeasuredLoad,
  budgetInput,
  capacityInput,
  designsOf,
  fewestInput,
  linesInput,
  loadInput,
  loadsInput,
  measuredBatches,
  questionOf,
  rolesInput,
  speedupInput,
} from "./question";

const INPUTS: ModelInputs = {
  run_id: "0".repeat(32),
  scenario: "sfc_a",
  host_class: "vm-2",
  model: "rtc",
  lcores: 2,
  load: "closed",
  frequency_hz: 2e9,
  cpp: 400,
  pps: 9.5e6,
  stages: { nat: 400 },
  work: null,
  demand: null,
  supply: null,
  l1d_bytes: null,
  batches: null,
  rates: [
    { lcores: 1, rates: [5e6] },
    { lcores: 2, rates: [9.5e6] },
  ],
  missing: {},
};
const NOTHING = {
  run: undefined,
  mpps: undefined,
  lcores: undefined,
  queue: undefined,
  batch: undefined,
  poll: undefined,
  chip: undefined,
  flight: undefined,
  designs: undefined,
  packets: undefined,
};

describe("the question", () => {
  const requested = questionOf({ ...NOTHING, mpps: "20", lcores: "8" }, INPUTS);

  test("has figures of the run where the address has none", () => {
    expect(questionOf(NOTHING, INPUTS)).toEqual({ mpps: 7.6, lcores: 2, queue: 1024, batch: 32, poll: 100 });
    expect(requested).toMatchObject({ mpps: 20, lcores: 8 });
    expect(questionOf({ ...NOTHING, mpps: "0", lcores: "0", queue: "99999" }, INPUTS)).toMatchObject({
      mpps: 1,
      lcores: 1,
      queue: 4096,
    });
  });

  test("becomes inputs: CPP as measured, full batches at that CPP", () => {
    expect(budgetInput(INPUTS, requested)).toMatchObject({
      pps: 20e6,
      lcores: 8,
      cpp: 400,
      measured_lcores: 2,
    });
    const { line, pps } = loadInput(INPUTS, requested);
    expect((line?.base_ns ?? 0) + 32 * (line?.packet_ns ?? 0)).toBeCloseTo(32 * 200);
    expect(pps).toEqual([20e6]);
    expect(Math.max(...loadsInput(INPUTS, requested).pps)).toBeCloseTo(1.2 * 40e6);
    expect(speedupInput(INPUTS, 8).at).toHaveLength(8);
    expect(speedupInput(INPUTS, 1).at).toHaveLength(4);
  });

  test("takes measured batch times, of the asked sizes alone", () => {
    const sizes: Record<string, [number, number]> = { 0: [9, 900], 16: [99, 99_000], 64: [99, 300_000] };
    const batches = { tsc_hz: 2e9, batches: sizes };
    const measured = { ...INPUTS, batches };
    const usual = questionOf(NOTHING, measured);
    expect(usual.batch).toBe(64);
    expect(loadInput(measured, usual)).toMatchObject({ measured: batches, batch: 64 });
    expect(loadInput(measured, usual)).not.toHaveProperty("line");
    expect(Object.keys(measuredBatches(measured, { ...usual, batch: 32 })?.batches ?? {})).toEqual([
      "0",
      "16",
    ]);
    expect(measuredBatches(measured, { ...usual, batch: 8 })).toBeNull();
    expect(loadInput(measured, { ...usual, batch: 8 })).toHaveProperty("line");
  });

  test("is at the measured load: all that a closed loop carries, or a fixed rate", () => {
    const sizes: Record<string, [number, number]> = { 16: [99, 99_000], 32: [99, 150_000] };
    const closed = { ...INPUTS, batches: { tsc_hz: 2e9, batches: sizes } };
    const full = { ...questionOf(NOTHING, closed), mpps: 9.6 };
    expect(atMeasuredLoad(closed, full)).toBe(true);
    expect(atMeasuredLoad(closed, { ...full, mpps: 9 })).toBe(false);
    expect(atMeasuredLoad(closed, { ...full, lcores: 1 })).toBe(false);
    expect(atMeasuredLoad(closed, { ...full, batch: 16 })).toBe(false);
    expect(atMeasuredLoad(INPUTS, full)).toBe(false);
    const open = { ...closed, load: "open" };
    expect(atMeasuredLoad(open, { ...full, mpps: 9.45 })).toBe(true);
    expect(atMeasuredLoad(open, { ...full, mpps: 12 })).toBe(false);
  });

  test("asks for the fewest lcores from those that carry the load", () => {
    expect(fewestInput(INPUTS, requested)).toMatchObject({
      pps: [20e6],
      loss: 1e-5,
      lcores: 1,
      most_lcores: 10,
    });
    expect(rolesInput(INPUTS, requested)).toBeNull();
    const work = { dispatch: 100, workers: 300, databases: 50 };
    expect(rolesInput({ ...INPUTS, work }, requested)).toEqual({ work, lcores: 8, frequency_hz: 2e9 });
    expect(linesInput(INPUTS, undefined)).toBeNull();
    expect(linesInput({ ...INPUTS, l1d_bytes: 32768 }, "1024")).toMatchObject({ packets: 1024 });
  });

  test("is of the asked lcores' own supply unless a chip is chosen", () => {
    expect(capacityInput(INPUTS, requested, undefined)).toMatchObject({ own: { supply: { cores: 64e9 } } });
    expect(capacityInput(INPUTS, requested, undefined)).not.toHaveProperty("measured_pps");
    expect(capacityInput(INPUTS, { ...requested, lcores: 2 }, undefined)).not.toHaveProperty("measured_pps");
    const counted = { ...INPUTS, demand: { cores: 700 } };
    expect(capacityInput(counted, { ...requested, lcores: 2 }, undefined)).toMatchObject({
      demand: { cores: 700 },
      measured_pps: 9.5e6,
    });
    expect(capacityInput(INPUTS, requested, "npu")).toMatchObject({ chip: "npu" });
    const supply = {
      one: { cores: 9e9 },
      together: { cores: 17e9 },
      cpus: 2,
      shared: ["memory"],
      watts: null,
    };
    const host = capacityInput({ ...INPUTS, supply }, requested, undefined);
    expect(host).toMatchObject({ host: supply, lcores: 8 });
    expect(host).not.toHaveProperty("own");
  });
});

test("designs are read line by line, and a bad line is named", () => {
  const { input, wrong } = designsOf("one=900, 800,900,800; many=400,350,9000,8900\n", "20");
  expect(wrong).toBeNull();
  expect(input?.designs).toEqual({ one: [900, 800, 900, 800], many: [400, 350, 9000, 8900] });
  expect(input?.packets).toBe(20);
  expect(designsOf("one=1,2,3", undefined)).toEqual({ input: null, wrong: "one=1,2,3" });
  expect(designsOf("one=1,2,3,-4", undefined).wrong).toBe("one=1,2,3,-4");
  expect(designsOf(undefined, undefined)).toEqual({ input: null, wrong: null });
});
