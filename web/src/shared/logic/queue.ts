// SPDX-License-Identifier: Apache-2.0
/** The queue as people read it: who goes when, why one waits, what may be done with it. */
import { isActive } from "./run/verdict";

export const REASONS = [
  "person",
  "push",
  "confirm",
  "pull_request",
  "schedule",
  "backfill",
  "bisect",
  "experiment",
  "suspicion",
  "control",
  "link",
  "refine",
] as const;
export type Reason = (typeof REASONS)[number];

const REASON_WORDS: Record<Reason, string> = {
  person: "Request",
  push: "Push",
  confirm: "Confirmation",
  pull_request: "Pull request",
  schedule: "Schedule",
  backfill: "Backfill",
  bisect: "Bisection",
  experiment: "Experiment",
  suspicion: "Suspicion",
  control: "Control",
  link: "Link",
  refine: "Refinement",
};
export const reasonWord = (reason: string): string => REASON_WORDS[reason as Reason] ?? reason;

interface PurposeLike {
  reason: string;
  queued_for: string | null;
  requested_by: string | null;
}

/** What a job was queued for, and by whom, if that is known: "push to main", "backfill 3 by mona". */
export function purposeOf({ reason, queued_for, requested_by: who }: PurposeLike): string {
  const what = queued_for ?? reasonWord(reason).toLowerCase();
  return who === null || what.includes(who) ? what : `${what} by ${who}`;
}

export const RUNNING_STATES = ["leased", "building", "measuring", "uploading"] as const;
export const OPEN_STATES = ["queued", ...RUNNING_STATES] as const;
export const ENDED_STATES = ["done", "failed", "invalid", "cancelled", "superseded"] as const;

interface JobLike {
  id: number;
  state: string;
  priority: number;
  held: string | null;
}

export const isRunning = (job: { state: string }): boolean => isActive(job) && job.state !== "queued";

interface TimedLike {
  created_at: string;
  leased_at: string | null;
  finished_at: string | null;
}

/** Seconds until a host took it, and from then on; so far, if it goes on. Null: not begun. */
export function jobTimes(job: TimedLike, now: number): { waited: number; ran: number | null } {
  const seconds = (from: string, to: number): number => Math.max(0, (to - Date.parse(from)) / 1000);
  const ended = job.finished_at === null ? now : Date.parse(job.finished_at);
  if (job.leased_at === null) return { waited: seconds(job.created_at, ended), ran: null };
  return {
    waited: seconds(job.created_at, Date.parse(job.leased_at)),
    ran: seconds(job.leased_at, ended),
  };
}

interface WaitingLike {
  held: string | null;
  not_before: string | null;
  attempts: number;
  message: string | null;
}

/** Why a queued job is not under way, in one line; null: it only waits for its turn. */
export function whyWaits(job: WaitingLike, now: number, timeOf: (iso: string) => string): string | null {
  if (job.held !== null) return job.held;
  if (job.not_before !== null && Date.parse(job.not_before) > now)
    return `Next attempt at ${timeOf(job.not_before)}${job.message ? `: ${job.message}` : ""}`;
  return job.attempts > 0 && job.message !== null ? job.message : null;
}

export type JobAction = "cancel" | "retry" | "boost" | "approve" | "reject";

/** What can be done with a job in its state. A held one is approved or rejected first. */
export function actionsOf(job: JobLike): JobAction[] {
  if (job.state === "queued" && job.held !== null) return ["approve", "reject"];
  if (job.state === "queued") return job.priority > 0 ? ["boost", "cancel"] : ["cancel"];
  if (isActive(job)) return ["cancel"];
  return job.state === "done" || job.state === "superseded" ? [] : ["retry"];
}

interface ChangeLike {
  id: number;
  state: string;
}

/** The list with the change in it; null: the list must be read again, for the job is new or moved in it. */
export function merged<T extends ChangeLike>(jobs: readonly T[], change: ChangeLike): T[] | null {
  const known = jobs.find((job) => job.id === change.id);
  if (known === undefined || known.state !== change.state) return null;
  const values = Object.fromEntries(Object.entries(change).filter(([name]) => name in known));
  return jobs.map((job) => (job === known ? { ...job, ...values } : job));
}

/** The tail of a log after an event. */
export const grown = (tail: string, event: { log: string | null; log_restarted: boolean }): string =>
  event.log === null ? tail : event.log_restarted ? event.log : tail + event.log;

/** The last lines of a log, without empty lines at the end. */
export function lastLines(tail: string, count: number): string {
  let end = tail.length;
  while (tail[end - 1] === "\n") end -= 1;
  return tail.slice(0, end).split("\n").slice(-count).join("\n");
}

interface FigureLike {
  readonly metric: string | null;
  readonly stage: string | null;
}

/** "Latency p99", perhaps of one stage: "nat CPP". titles: by metric; one that is not in it has its name. */
export const figureName = (
  { metric, stage }: FigureLike,
  titles: ReadonlyMap<string, string>,
): string | null =>
  metric === null ? null : [stage, titles.get(metric) ?? metric].filter(Boolean).join(" ");

/** What decides a bisection or a second measurement: a scenario, or a figure of it. */
export function figureText(
  of: FigureLike & { readonly scenario: string },
  titles: ReadonlyMap<string, string>,
): string {
  const name = figureName(of, titles);
  return name === null ? of.scenario : `${name} of ${of.scenario}`;
}
