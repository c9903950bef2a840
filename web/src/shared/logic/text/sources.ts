// SPDX-License-Identifier: Apache-2.0
/** Where figures come from, as people read it. */
export const SOURCES: Record<string, string> = {
  tsc: "cycles of the processor's steady clock",
  pmu: "cycles and instructions of the hardware counters",
  samples: "samples of where time goes (perf), scaled to those cycles",
  simulated: "instructions by valgrind",
};

/** "tsc (cycles of the processor's steady clock)". One that is not known is only named. */
export const sourceWords = (name: string): string => (SOURCES[name] ? `${name} (${SOURCES[name]})` : name);
