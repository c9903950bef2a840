// SPDX-License-Identifier: Apache-2.0
/** Backfills and bisects as people read them. */

/** How many commits a backfill measures: every `every`-th after `first`, and `last`. Null: not both are known. */
export function backfillSize(
  newestFirst: readonly string[],
  first: string | undefined,
  last: string | undefined,
  every: number,
): number | null {
  const at = (sha: string | undefined): number =>
    sha === undefined ? -1 : newestFirst.findIndex((known) => known.startsWith(sha));
  const [from, to] = [at(first), at(last)];
  if (from < 0 || to < 0 || from <= to || every < 1) return null;
  return Math.ceil((from - to) / every);
}

interface ProgressLike {
  total: number;
  waiting: number;
  queued: number;
  reused: number;
  done: number;
  failed: number;
}

/** Share of a backfill's steps that ended, in per cent. */
export const percentDone = (progress: ProgressLike): number =>
  progress.total === 0
    ? 0
    : Math.round((100 * (progress.reused + progress.done + progress.failed)) / progress.total);

interface StepLike {
  place: number;
  sha: string;
}
interface BisectLike {
  commits: number | null;
  low_sha: string | null;
  high_sha: string | null;
  good_sha: string;
  bad_sha: string;
  steps: readonly StepLike[];
}

/** How many commits the culprit may still be among; null while the range is not read yet. */
export function candidatesLeft(bisect: BisectLike): number | null {
  if (bisect.commits === null) return null;
  const placeOf = (sha: string | null, otherwise: number): number =>
    sha === bisect.good_sha
      ? 0
      : sha === bisect.bad_sha
        ? (bisect.commits ?? otherwise)
        : (bisect.steps.find((step) => step.sha === sha)?.place ?? otherwise);
  return placeOf(bisect.high_sha, bisect.commits) - placeOf(bisect.low_sha, 0);
}

const ACTIVE = ["planning", "running"];
export const isSearching = (of: { readonly state: string }): boolean => ACTIVE.includes(of.state);

interface ReadJob {
  created_at: string;
  backfill_id: number | null;
}

/**
 * What there is to say about a backfill's jobs beside those that are shown; null: nothing. read: the project's newest
 * jobs, newest first, at most so many.
 */
export function jobsNote(
  backfill: { readonly id: number; readonly state: string; readonly created_at: string },
  read: readonly ReadJob[],
  most: number,
): string | null {
  const some = read.some((job) => job.backfill_id === backfill.id);
  const oldest = read.at(-1);
  const cut =
    oldest !== undefined &&
    read.length >= most &&
    Date.parse(oldest.created_at) > Date.parse(backfill.created_at);
  if (cut)
    return `${some ? "Only those" : "None"} among the project's newest ${most} jobs; older ones are not listed.`;
  if (some) return null;
  return isSearching(backfill) ? "None yet." : "None.";
}

const STATE_WORDS: Record<string, string> = {
  planning: "Reading the range",
  running: "Running",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
  found: "Culprit found",
  range: "Narrowed down",
  no_change: "No change",
  undecided: "Undecided",
};
export const searchStateWord = (state: string): string => STATE_WORDS[state] ?? state;
