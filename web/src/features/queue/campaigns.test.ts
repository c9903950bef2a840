// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { backfillSize, candidatesLeft, jobsNote, percentDone } from "./campaigns";

const NEWEST_FIRST = ["e", "d", "c", "b", "a"];

test("a backfill's size: those after the first, in steps", () => {
  expect(backfillSize(NEWEST_FIRST, "a", "e", 1)).toBe(4);
  expect(backfillSize(NEWEST_FIRST, "a", "e", 3)).toBe(2);
  expect(backfillSize(NEWEST_FIRST, "b", "c", 10)).toBe(1);
});

test("no size for a range that is none", () => {
  expect(backfillSize(NEWEST_FIRST, "e", "a", 1)).toBeNull();
  expect(backfillSize(NEWEST_FIRST, "c", "c", 1)).toBeNull();
  expect(backfillSize(NEWEST_FIRST, undefined, "e", 1)).toBeNull();
  expect(backfillSize(NEWEST_FIRST, "x", "e", 1)).toBeNull();
});

test("what ended counts, however it ended", () => {
  const progress = { total: 8, waiting: 2, queued: 2, reused: 1, done: 2, failed: 1 };
  expect(percentDone(progress)).toBe(50);
  expect(percentDone({ ...progress, total: 0 })).toBe(0);
});

test("candidates shrink with each step", () => {
  const ends = { good_sha: "a", bad_sha: "e", steps: [{ place: 2, sha: "c" }] };
  expect(candidatesLeft({ ...ends, commits: null, low_sha: null, high_sha: null })).toBeNull();
  expect(candidatesLeft({ ...ends, commits: 4, low_sha: "a", high_sha: "e" })).toBe(4);
  expect(candidatesLeft({ ...ends, commits: 4, low_sha: "c", high_sha: "e" })).toBe(2);
  expect(candidatesLeft({ ...ends, commits: 4, low_sha: null, high_sha: "c" })).toBe(2);
});

test("jobs that are not listed are not said to be none", () => {
  const job = (created_at: string, backfill_id: number | null) => ({ created_at, backfill_id });
  const backfill = { id: 3, state: "done", created_at: "2026-11-21T10:00:00Z" };
  const [older, own, later] = [
    job("2026-11-21T09:00:00Z", null),
    job("2026-11-21T10:01:00Z", 3),
    job("2026-11-21T11:00:00Z", null),
  ];
  expect(jobsNote(backfill, [later, later], 2)).toMatch(/^None among the project's newest 2 jobs/);
  expect(jobsNote(backfill, [later, own], 2)).toMatch(/^Only those among/);
  expect(jobsNote(backfill, [own, older], 2)).toBeNull();
  expect(jobsNote(backfill, [older], 2)).toBe("None.");
  expect(jobsNote({ ...backfill, state: "running" }, [], 2)).toBe("None yet.");
});
