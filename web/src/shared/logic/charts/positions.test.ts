// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { byDate, byNumber } from "./positions";

const HOUR = 3600;
const dateAt = (seconds: number): string => new Date(seconds * 1000).toISOString();

test("commits stand at their dates, and the nearest one is found", () => {
  const positions = byDate([0, HOUR, 10 * HOUR].map(dateAt));
  expect([0, 1, 2].map(positions.at)).toEqual([0, HOUR, 10 * HOUR]);
  expect(positions.at(1.5)).toBe(5.5 * HOUR);
  expect([-HOUR, 0.4 * HOUR, 0.6 * HOUR, 5 * HOUR, 6 * HOUR, 99 * HOUR].map(positions.placeOf)).toEqual([
    0, 0, 1, 1, 2, 2,
  ]);
});

test("the order of commits is kept where their dates are not in order, equal or missing", () => {
  const positions = byDate([null, dateAt(HOUR), dateAt(HOUR), null, dateAt(0), dateAt(2 * HOUR)]);
  const all = [0, 1, 2, 3, 4, 5].map(positions.at);
  expect(all).toEqual([HOUR - 1, HOUR, HOUR + 1, HOUR + 2, HOUR + 3, 2 * HOUR]);
  expect(all.map(positions.placeOf)).toEqual([0, 1, 2, 3, 4, 5]);
});

test("without a date commits stand by number", () => {
  expect(byDate([null, undefined])).toBe(byNumber);
  expect(byDate([])).toBe(byNumber);
});
