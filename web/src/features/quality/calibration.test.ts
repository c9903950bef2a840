// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { calibrationDots, DIAGONAL, groupText, OBSERVED, PREDICTED, placeOf } from "./calibration";

const group = (probability: number, rate: number | null) => ({
  probability,
  rate,
  low: (rate ?? 0) * 0.8,
  high: 1,
  trials: 12,
});

test("a probability that holds as often as predicted is on the diagonal", () => {
  const { points } = calibrationDots([group(0.7, 0.7), group(0.97, 0.97)]);
  for (const [x, y] of points) expect(x).toBe(y);
  for (const [x, y] of DIAGONAL) expect(x).toBe(y);
});

test("one that holds more rarely is below it, with its bounds and count", () => {
  const { points, between, texts } = calibrationDots([group(0.97, 0.6)]);
  const [[x, y] = [0, 0]] = points;
  const [[low, high] = [0, 0]] = between;
  expect(y).toBeLessThan(x);
  expect([low, high]).toEqual([placeOf(0.48), placeOf(1)]);
  expect(texts).toEqual(["12"]);
});

test("a group without a rate is no point, and what is certain is at the end of the scale", () => {
  expect(calibrationDots([group(0.7, null)]).points).toEqual([]);
  expect(placeOf(1)).toBe(OBSERVED.high);
  expect(placeOf(0.9999)).toBe(OBSERVED.high);
});

test("ticks are shares", () => {
  const texts = (axis: typeof PREDICTED) =>
    axis.ticks?.map(axis.text).map((text) => text.replaceAll("\u202f", " "));
  expect(texts(PREDICTED)).toEqual(["50 %", "80 %", "95 %", "99 %"]);
  expect(texts(OBSERVED)).toEqual(["0 %", "50 %", "80 %", "95 %", "99 %", "\u2265 99.9 %"]);
});

test("a group is named by its bounds, short enough for a phone, with its average apart", () => {
  const { name, under } = groupText({ least: 0.95, most: 0.99, probability: 0.9702 });
  expect([name, under]).toEqual(["95 to 99\u202f%", "average 97.0\u202f%"]);
  expect(groupText({ least: 0.99, most: 1, probability: 0.996 }).name).toBe("99 to 100\u202f%");
});
