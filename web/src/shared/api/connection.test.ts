// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answeredWith, isAway, onReach } from "./connection";

const answers = vi.fn<() => Promise<{ status: number }>>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", answers);
});

afterEach(() => {
  answeredWith(200);
  answers.mockReset();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a server without an answer is asked until it has one", async () => {
  const changes = vi.fn();
  const leave = onReach(changes);
  answers.mockRejectedValueOnce(new TypeError("Failed to fetch"));
  answers.mockResolvedValueOnce({ status: 502 });
  answers.mockResolvedValueOnce({ status: 200 });
  answeredWith(null);
  for (const away of [true, true, false]) {
    await vi.advanceTimersToNextTimerAsync();
    expect(isAway()).toBe(away);
  }
  expect(changes).toHaveBeenCalledTimes(2);
  expect(vi.getTimerCount()).toBe(0);
  leave();
});

test("a refusal and a fault are answers", () => {
  for (const status of [404, 500, 503]) {
    answeredWith(status);
    expect(isAway()).toBe(false);
  }
  expect(answers).not.toHaveBeenCalled();
});
