// SPDX-License-Identifier: Apache-2.0
/** How a verdict is shown. Which verdict it is, the server decides. */

export const DISPLAYS = [
  "regressed",
  "improved",
  "feature",
  "same",
  "inconclusive",
  "invalid",
  "broken",
] as const;
export type Display = (typeof DISPLAYS)[number];

export interface DisplayInfo {
  /** Word on the badge. */
  word: string;
  /** One sentence that explains the word to somebody who meets it for the first time. */
  explanation: string;
}

const INFO: Record<Display, DisplayInfo> = {
  regressed: {
    word: "Regressed",
    explanation:
      "More cycles per packet than its base, by more than the project's margin, beyond what the noise of the rounds explains.",
  },
  improved: {
    word: "Improved",
    explanation: "Fewer cycles per packet than its base, by more than the margin, beyond the noise.",
  },
  feature: {
    word: "Feature",
    explanation:
      "The feature set of the scenario changed. What stages added or removed cost is a price, not a regression.",
  },
  same: {
    word: "Same",
    explanation:
      "The change in cycles per packet is within the margin, and the rounds are sufficient to show it.",
  },
  inconclusive: {
    word: "Inconclusive",
    explanation: "The measurement budget ended before the noise allowed a decision.",
  },
  invalid: {
    word: "Invalid",
    explanation: "A check of the run's own numbers failed. The numbers are not used and enter no history.",
  },
  broken: {
    word: "Broken",
    explanation:
      "The network function did not build, start, forward or stay alive. No verdict on speed is given.",
  },
};

export const isDisplay = (value: unknown): value is Display =>
  typeof value === "string" && (DISPLAYS as readonly string[]).includes(value);

/** A display this page does not know yet (a newer server's) is shown by its own name. */
export function displayInfo(display: string): DisplayInfo {
  return isDisplay(display)
    ? INFO[display]
    : { word: display, explanation: "This page is older than the server and does not know this verdict." };
}

/** Which chains a change is between, when they are not plainly those of base and head. */
export const judgedChain = (verdict: { judged_arm?: string | null } | null): string | null =>
  verdict?.judged_arm === "head_as_base" ? "head with base's features" : null;

interface ProgressLike {
  state: string;
}

const ACTIVE = new Set(["queued", "leased", "building", "measuring", "uploading"]);
/** Work is under way or waits; the page asks again soon. */
export const isActive = (job: ProgressLike | null | undefined): boolean => !!job && ACTIVE.has(job.state);

const CAUSE_WORDS: Record<string, string> = {
  instructions: "instructions",
  pipeline: "pipeline use",
};
export const causeWord = (cause: string | null | undefined): string | null =>
  cause ? (CAUSE_WORDS[cause] ?? cause) : null;

export interface VerdictLike {
  display: string;
}

const URGENCY: readonly string[] = [
  "regressed",
  "broken",
  "invalid",
  "improved",
  "feature",
  "inconclusive",
  "same",
] satisfies readonly Display[];

/** What a reader wants to see first, first; otherwise in the order given. */
export function byUrgency<T extends VerdictLike>(verdicts: readonly T[]): T[] {
  const place = (verdict: T): number => URGENCY.indexOf(verdict.display);
  return [...verdicts].sort((a, b) => place(a) - place(b));
}
