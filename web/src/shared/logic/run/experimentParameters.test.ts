// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { parametersTexts, readParameters } from "./experimentParameters";

describe("parameters of an experiment", () => {
  it("reads lists, shares, single numbers and words; empty fields stay out", () => {
    const texts = { batch: "64, 256", ring: "", loads: "20 80", arrivals: "nbinom:2" };
    expect(readParameters("queue", texts)).toEqual({
      parameters: { batch: [64, 256], loads: [0.2, 0.8], arrivals: "nbinom:2" },
      wrong: null,
    });
    expect(readParameters("flows", { packets: "20" }).parameters).toEqual({ packets: 20 });
    expect(readParameters("features", { lcores: "4" }).parameters).toEqual({});
  });

  it("names the field that cannot be read", () => {
    expect(readParameters("cores", { lcores: "1, two" }).wrong).toBe(
      'Numbers of lcores: "1, two" is not a list of numbers above 0',
    );
    expect(readParameters("cores", { launches: "3 4" }).wrong).toBe(
      'Launches: "3 4" is not a number above 0',
    );
  });

  it("says what is set", () => {
    const set = { lcores: [], batch: [64], loads: [0.125], arrivals: "cbr", packets: null };
    expect(parametersTexts("queue", set)).toEqual([
      "largest batches 64",
      "loads, % of full load 12.5",
      "gaps cbr",
    ]);
    expect(parametersTexts("models", set)).toEqual([]);
  });
});
