// SPDX-License-Identifier: Apache-2.0
/** What to do after a run that decided nothing. */
export interface Undecided {
  display: string;
  checks: readonly { name: string; passed: boolean; message: string }[];
  status?: string | undefined;
}

const INCONCLUSIVE = [
  "Measure the pair once more: rounds of a calmer hour may decide.",
  "Give it more time: budget_seconds in nalm.toml is how long rounds may go on.",
  "A quieter host resolves smaller changes: nalm doctor says what disturbs this one.",
];
const BY_CHECK: Record<string, string> = {
  eq6_closes: "The counters do not agree with the measured rate: look for time the probe does not see.",
  stages_add_up: "Part of the loop is in no stage: name it in the NF, or mark it as housekeeping.",
  packets_conserved: "A stage takes packets without naming their outcome: count its drops.",
  generator_honest: "The generator starved the NF: give it a core of its own, or a smaller load.",
};

/** Sentences, the most likely first; none for a run that decided. */
export function whatHelps({ display, checks, status }: Undecided): string[] {
  if (display === "inconclusive") return INCONCLUSIVE;
  if (display === "broken")
    return [
      "Build and start head as the run did: nalm check runs the same steps on your host.",
      "If base breaks alike, the host is at fault: nalm doctor looks at it.",
    ];
  if (display !== "invalid") return [];
  const failed = checks.filter((check) => !check.passed);
  const known = failed.flatMap((check) => BY_CHECK[check.name] ?? []);
  if (status === "failed") return ["The host could not measure: see the log, mend it, and measure again."];
  return [...known, "Then measure again: an invalid run enters no history."];
}
