// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  actionsOf,
  figureText,
  grown,
  jobTimes,
  lastLines,
  merged,
  purposeOf,
  REASONS,
  reasonWord,
  whyWaits,
} from "./queue";

const job = (id: number, given: Partial<{ state: string; priority: number; held: string | null }> = {}) => ({
  id,
  state: "queued",
  priority: 1,
  held: null as string | null,
  step: "building base",
  ...given,
});

test("why a job waits", () => {
  const free = { held: null, not_before: null, attempts: 0, message: null };
  const at = () => "noon";
  expect(whyWaits(free, 0, at)).toBeNull();
  expect(whyWaits({ ...free, held: "a fork's code" }, 0, at)).toBe("a fork's code");
  const later = { ...free, not_before: "2026-11-21T12:00:00Z", message: "the disk was full", attempts: 1 };
  expect(whyWaits(later, 0, at)).toBe("Next attempt at noon: the disk was full");
  expect(whyWaits(later, Date.parse("2027-01-01"), at)).toBe("the disk was full");
});

test("what a job was queued for, and by whom", () => {
  const push = { reason: "push", queued_for: "push to main", requested_by: null };
  expect(purposeOf(push)).toBe("push to main");
  expect(purposeOf({ ...push, queued_for: null })).toBe("push");
  expect(purposeOf({ reason: "backfill", queued_for: "backfill 3", requested_by: "mona" })).toBe(
    "backfill 3 by mona",
  );
  const request = { reason: "person", queued_for: "requested by mona", requested_by: "mona" };
  expect(purposeOf(request)).toBe("requested by mona");
});

test("what can be done follows the state", () => {
  expect(actionsOf(job(1))).toEqual(["boost", "cancel"]);
  expect(actionsOf(job(1, { priority: 0 }))).toEqual(["cancel"]);
  expect(actionsOf(job(1, { held: "a fork" }))).toEqual(["approve", "reject"]);
  expect(actionsOf(job(1, { state: "measuring" }))).toEqual(["cancel"]);
  expect(actionsOf(job(1, { state: "failed" }))).toEqual(["retry"]);
  expect(actionsOf(job(1, { state: "done" }))).toEqual([]);
});

test("a change within a state is taken in; another state, or an unknown job, asks for the list again", () => {
  const jobs = [job(1, { state: "measuring" }), job(2)];
  const change = { id: 1, state: "measuring", step: "round 3", log: "x" };
  expect(merged(jobs, change)).toEqual([{ ...jobs[0], step: "round 3" }, jobs[1]]);
  expect(merged(jobs, { id: 1, state: "done" })).toBeNull();
  expect(merged(jobs, { id: 9, state: "queued" })).toBeNull();
});

test("a log grows, or begins again", () => {
  expect(grown("a\n", { log: "b\n", log_restarted: false })).toBe("a\nb\n");
  expect(grown("a\n", { log: "c\n", log_restarted: true })).toBe("c\n");
  expect(grown("a\n", { log: null, log_restarted: false })).toBe("a\n");
  expect(lastLines("1\n2\n3\n", 2)).toBe("2\n3");
  expect(lastLines("\n\n", 2)).toBe("");
});

test("the end of a log full of empty lines is found in one pass", () => {
  const blank = "\n".repeat(1_000_000);
  expect(lastLines(`${blank}end${blank}`, 1)).toBe("end");
});

test("each reason has a word of its own", () => {
  const words = REASONS.map(reasonWord);
  expect(new Set(words).size).toBe(REASONS.length);
  expect(words.filter((word, at) => word === REASONS[at])).toEqual([]);
  expect(REASONS).toContain("confirm");
});

test("a reason of a newer server is shown by its own name", () => {
  expect(reasonWord("pull_request")).toBe("Pull request");
  expect(reasonWord("whim")).toBe("whim");
});

test("a job waits until a host takes it, and runs from then until it ends, or until now", () => {
  const at = (minute: number): string => new Date(Date.UTC(2026, 10, 22, 9, minute)).toISOString();
  const now = Date.parse(at(30));
  const job = { created_at: at(0), leased_at: null, finished_at: null };
  expect(jobTimes(job, now)).toEqual({ waited: 1800, ran: null });
  expect(jobTimes({ ...job, finished_at: at(10) }, now)).toEqual({ waited: 600, ran: null });
  expect(jobTimes({ ...job, leased_at: at(20) }, now)).toEqual({ waited: 1200, ran: 600 });
  expect(jobTimes({ ...job, leased_at: at(5), finished_at: at(20) }, now)).toEqual({ waited: 300, ran: 900 });
});

test("a bisection searches for a scenario, or a figure of it by its title", () => {
  const titles = new Map([
    ["latency_p99_ns", "Latency p99"],
    ["cpp", "CPP"],
  ]);
  const of = { scenario: "sfc_a", metric: null, stage: null };
  expect(figureText(of, titles)).toBe("sfc_a");
  expect(figureText({ ...of, scenario: "sfc_a:rate", metric: "latency_p99_ns" }, titles)).toBe(
    "Latency p99 of sfc_a:rate",
  );
  expect(figureText({ ...of, metric: "cpp", stage: "nat" }, titles)).toBe("nat CPP of sfc_a");
  expect(figureText({ ...of, metric: "sessions" }, titles)).toBe("sessions of sfc_a");
});
