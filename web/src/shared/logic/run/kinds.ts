// SPDX-License-Identifier: Apache-2.0
/** What a history is of, by its name: cycles of a scenario, its rates, or a soak of it. */
export type RunKind = "cycles" | "rate" | "soak";

export const KIND_WORDS: Readonly<Record<RunKind, string>> = {
  cycles: "Cycles per packet",
  rate: "Rates, latency and loss",
  soak: "Soak",
};

export const KIND_CHOICES = (Object.keys(KIND_WORDS) as RunKind[]).map((value) => ({
  value,
  label: KIND_WORDS[value],
}));

/** The metrics that a history of this kind shows unless one is chosen. */
const MAIN: Readonly<Record<RunKind, readonly string[]>> = {
  cycles: ["cpp", "ipp", "eipc", "pps"],
  rate: ["latency_p99_ns", "latency_p50_ns", "load_cpp", "ndr_pps", "mrr_pps", "loss_ratio"],
  soak: ["buffers_growth", "memory_growth", "cpp_drift", "latency_p99_9_drift"],
};

const SUFFIX = /.:(rate|soak)$/;

export function kindOf(history: string): RunKind {
  const found = SUFFIX.exec(history)?.[1];
  return found === "rate" || found === "soak" ? found : "cycles";
}

/** The kind of all these histories; cycles if they differ. */
export function commonKind(histories: readonly string[]): RunKind {
  const kinds = new Set(histories.map(kindOf));
  const [one = "cycles"] = kinds;
  return kinds.size === 1 ? one : "cycles";
}

export const mainMetricsOf = (kind: RunKind): readonly string[] => MAIN[kind];
