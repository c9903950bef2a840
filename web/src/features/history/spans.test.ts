// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type CommitSpan, commitSpans, indexSpans } from "./spans";

const shas = Array.from({ length: 40 }, (_, at) => String(at).padStart(2, "0").repeat(6));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("charts follow at once, the address when zooming rests", () => {
  const write = vi.fn<(span: CommitSpan) => void>();
  const commits = commitSpans({}, write);
  const spans = indexSpans(shas, commits);
  const drawn: number[] = [];
  const stop = spans.subscribe(() => drawn.push(spans.get().from));
  spans.set({ from: 10, to: 30 });
  spans.set({ from: 12, to: 28 });
  expect(drawn).toEqual([10, 12]);
  expect(write).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(write.mock.calls).toEqual([[{ from: shas[12]?.slice(0, 10), to: shas[28]?.slice(0, 10) }]]);
  stop();
  spans.set({ from: 0, to: 39 });
  expect(drawn).toHaveLength(2);
  expect(commits.get()).toEqual({});
});

test("an address that somebody changed is shown, one that was just written changes nothing", () => {
  const commits = commitSpans({}, () => {});
  const spans = indexSpans(shas, commits);
  const seen = vi.fn();
  spans.subscribe(seen);
  spans.set({ from: 5, to: 20 });
  vi.runAllTimers();
  commits.follow({ ...commits.get() });
  expect(seen).toHaveBeenCalledTimes(1);
  commits.follow({ from: shas[30] });
  expect(spans.get()).toEqual({ from: 30, to: 39 });
  expect(spans.get()).toBe(spans.get());
});

test("commits that the list does not have end at its ends", () => {
  const spans = indexSpans(
    shas,
    commitSpans({ from: "ffffffffff", to: shas[9]?.slice(0, 7) }, () => {}),
  );
  expect(spans.get()).toEqual({ from: 0, to: 9 });
});
