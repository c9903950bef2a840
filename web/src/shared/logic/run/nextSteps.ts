// SPDX-License-Identifier: Apache-2.0
/** What to do after a run that decided nothing. */
import { kindOf, type RunKind } from "./kinds";

export interface Undecided {
  display: string;
  checks: readonly { name: string; passed: boolean; message: string }[];
  status?: string | undefined;
  /** Its name tells the kind of run. */
  scenario?: string | undefined;
}

const QUIETER = "Use a quieter host: nalm doctor reports what disturbs this one.";
/** Runs of rates and soaks have no rounds, and do not follow budget_seconds. */
const INCONCLUSIVE: Readonly<Record<RunKind, readonly string[]>> = {
  cycles: [
    "Measure the pair again: rounds at a quieter time may decide.",
    "Increase budget_seconds in nalm.toml, the time that rounds may take.",
    QUIETER,
  ],
  rate: [
    "Measure the pair again: launches at a quieter time may decide.",
    "Increase rates.launches in nalm.toml: each launch adds a value of every metric for both builds.",
    QUIETER,
  ],
  soak: [
    "Measure the pair again: a soak at a quieter time may decide.",
    "Increase rates.soak_hours in nalm.toml: a longer soak shows a smaller trend.",
    QUIETER,
  ],
};
const BY_CHECK: Record<string, string> = {
  eq6_closes:
    "The counters do not agree with the measured rate. Look for time that the probe does not count.",
  stages_add_up: "Part of the loop belongs to no stage. Name it in the NF, or mark it as housekeeping.",
  packets_conserved: "A stage does not report the outcome of all its packets. Count its drops.",
  generator_honest: "The generator starved the NF. Give the generator its own core, or reduce the load.",
  load_offered:
    "The NF was not offered its load. Reduce the scenario's load, or give the generator its own core: nalm rate --mode ndr reports what the NF carries.",
  load_carried:
    "Head does not carry the load that base carries. nalm rate --mode ndr reports what head carries. If head may need more cycles per packet, reduce the scenario's load.",
};

/** Sentences, the most likely first; none for a run that decided. */
export function whatHelps({ display, checks, status, scenario = "" }: Undecided): string[] {
  if (display === "inconclusive") return [...INCONCLUSIVE[kindOf(scenario)]];
  const known = checks.flatMap((check) => (check.passed ? [] : (BY_CHECK[check.name] ?? [])));
  if (display === "broken" && known.length > 0) return known;
  if (display === "broken")
    return [
      "Build and start head as the run did: nalm check runs the same steps on your host.",
      "If base breaks alike, the host is at fault: nalm doctor looks at it.",
    ];
  if (display !== "invalid") return [];
  if (status === "failed")
    return ["The host could not measure. See the log, fix the host, and measure again."];
  const again = "easure again: an invalid run enters no history.";
  return [...known, known.length > 0 ? `Then m${again}` : `M${again}`];
}
