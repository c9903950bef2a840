// SPDX-License-Identifier: Apache-2.0
/** What tuning aims at: a factor of the speedup of several cores (Wu et al., Eq. 3), or a side of pps (Eq. 6). */

export interface Tuning {
  /** Sign and index: f_t is f and t. */
  sign: readonly [string, string];
  word: string;
  sentence: string;
  better: "down" | "up";
}

const factor = (index: string, word: string, sentence: string): Tuning => ({
  sign: ["f", index],
  word,
  sentence: `${sentence} One of the four factors that decide how much faster several cores are than one (Wu et al., Eq. 3). Lower is better.`,
  better: "down",
});

const TUNINGS: Record<string, Tuning> = {
  f_t: factor(
    "t",
    "computational scale",
    "All computation that the packets need, on any number of cores. A faster algorithm or work offloaded to the NIC lowers it.",
  ),
  f_a: factor(
    "a",
    "part that is not parallel",
    "The share of the work that cores cannot do in parallel: critical sections, or a step that waits for another.",
  ),
  f_s: factor(
    "s",
    "fixed overhead",
    "What running in parallel costs once, the same for any number of cores, such as a layer of virtualization.",
  ),
  f_i: factor(
    "i",
    "overhead that grows with the cores",
    "What each additional core costs the others: cache line transfers, contention, hand-overs.",
  ),
  eipc_up: {
    sign: ["eIPC", ""],
    word: "instructions wait less",
    sentence: "More instructions in each cycle: fewer waits for memory, branches and other lcores.",
    better: "up",
  },
  ipp_down: {
    sign: ["IPP", ""],
    word: "fewer instructions for a packet",
    sentence: "Less work for each packet.",
    better: "down",
  },
};

/** Undefined for one this page does not know yet. */
export const tuningOf = (name: string): Tuning | undefined => TUNINGS[name];
