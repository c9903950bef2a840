// SPDX-License-Identifier: Apache-2.0
/** What to do after a run that decided nothing. */
export interface Undecided {
  display: string;
  checks: readonly { name: string; passed: boolean; message: string }[];
  status?: string | undefined;
}

const INCONCLUSIVE = [
  "Measure the pair again: rounds at a quieter time may decide.",
  "Increase budget_seconds in nalm.toml, the time that rounds may take.",
  "Use a quieter host: nalm doctor reports what disturbs this one.",
];
const BY_CHECK: Record<string, string> = {
  eq6_closes:
    "The counters do not agree with the measured rate. Look for time that the probe does not count.",
  stages_add_up: "Part of the loop belongs to no stage. Name it in the NF, or mark it as housekeeping.",
  packets_conserved: "A stage does not report the outcome of all its packets. Count its drops.",
  generator_honest: "The generator starved the NF. Give the generator its own core, or reduce the load.",
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
  if (status === "failed")
    return ["The host could not measure. See the log, fix the host, and measure again."];
  return [...known, "Then measure again: an invalid run enters no history."];
}
