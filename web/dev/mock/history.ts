// SPDX-License-Identifier: Apache-2.0
/** A made-up history of a network function. The figures are invented: this feeds pages under development, no test of a result. */
import type {
  Change,
  Commit,
  CommitRef,
  Figure,
  HistoryPoint,
  StageChange,
  Verdict,
  VerdictBrief,
} from "../../src/shared/api/types";

type Costs = Record<string, { cpp: number; ipp: number }>;
type Display = VerdictBrief["display"];

interface Step {
  subject: string;
  author: string;
  display: Display;
  stage?: string;
  cause?: "instructions" | "pipeline";
  /** Factors on a stage's cycles and instructions. */
  cycles?: number;
  instructions?: number;
  adds?: { stage: string; cpp: number; ipp: number };
  unchanged?: boolean;
  /** Place in the list of the commit it repairs. */
  fixes?: number;
}

const ORDER = ["rx", "nat", "dpi", "l3fwd", "tx"];
const MARGIN = 0.02;
const HALF_WIDTH = 0.006;

const STEPS: readonly Step[] = [
  { subject: "Merge branch 'first-chain'", author: "Ada Novak", display: "same" },
  { subject: "Merge branch 'docs-configuration'", author: "Jun Park", display: "same", unchanged: true },
  { subject: "Merge branch 'rename-flow-fields'", author: "Ada Novak", display: "same", unchanged: true },
  {
    subject: "Merge branch 'nat-split-lookup'",
    author: "Lena Brandt",
    display: "same",
    stage: "nat",
    cycles: 1.004,
    instructions: 1.01,
  },
  {
    subject: "Merge branch 'nat-icmp-errors'",
    author: "Jun Park",
    display: "regressed",
    stage: "nat",
    cause: "instructions",
    cycles: 1.22,
    instructions: 1.26,
  },
  {
    subject: "Merge branch 'build-warnings'",
    author: "Ada Novak",
    display: "same",
    cycles: 1.001,
    stage: "tx",
  },
  {
    subject: "Merge branch 'dpi'",
    author: "Tomás Rivera",
    display: "feature",
    adds: { stage: "dpi", cpp: 171, ipp: 402 },
  },
  {
    subject: "Merge branch 'nat-fast-path-for-icmp'",
    author: "Jun Park",
    display: "improved",
    stage: "nat",
    cause: "instructions",
    cycles: 0.83,
    instructions: 0.8,
    fixes: 4,
  },
  {
    subject: "Merge branch 'l3fwd-next-hop-statistics' with per-prefix counters for billing",
    author: "Lena Brandt",
    display: "regressed",
    stage: "l3fwd",
    cause: "pipeline",
    cycles: 1.61,
    instructions: 1.01,
  },
  {
    subject: "Merge branch 'counters-naming'",
    author: "Ada Novak",
    display: "inconclusive",
    cycles: 1.015,
    stage: "tx",
  },
  {
    subject: "Merge branch 'dpi-scan-whole-burst'",
    author: "Tomás Rivera",
    display: "improved",
    stage: "dpi",
    cause: "pipeline",
    cycles: 0.88,
    instructions: 0.99,
  },
  { subject: "Merge branch 'config-reload'", author: "Jun Park", display: "broken" },
];

const hex = (seed: number, length: number): string => {
  let state = (seed + 1) * 2654435761;
  let text = "";
  while (text.length < length) {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9;
    text += (state >>> 0).toString(16).padStart(8, "0");
  }
  return text.slice(0, length);
};

/** The same "noise" at each start, so that screenshots repeat. */
export const wobble = (seed: number): number => (Number.parseInt(hex(seed, 6), 16) / 0xffffff - 0.5) * 2;

export const shaOf = (index: number): string => hex(index * 7 + 3, 40);
export const runOf = (index: number): string => hex(index * 11 + 900, 32);
export const COUNT = STEPS.length;
/** Two more commits, not yet measured. */
export const PENDING = ["Merge branch 'nat-port-blocks'", "Merge branch 'readme-pictures'"];

const START: Costs = {
  rx: { cpp: 19.4, ipp: 52.1 },
  nat: { cpp: 62.8, ipp: 148.6 },
  l3fwd: { cpp: 25.2, ipp: 61.3 },
  tx: { cpp: 16.9, ipp: 44.7 },
};

const costs: Costs[] = [];
for (const step of STEPS) {
  const before = costs.at(-1) ?? START;
  const after: Costs = structuredClone(before);
  const touched = step.stage ? after[step.stage] : undefined;
  if (touched) {
    touched.cpp *= step.cycles ?? 1;
    touched.ipp *= step.instructions ?? 1;
  }
  if (step.adds) after[step.adds.stage] = { cpp: step.adds.cpp, ipp: step.adds.ipp };
  costs.push(after);
}

export const stagesOf = (index: number): string[] => ORDER.filter((stage) => costs[index]?.[stage]);
export const costOf = (index: number, stage: string): { cpp: number; ipp: number } | null => {
  const at = costs[index];
  if (!at) return null;
  if (stage !== "chain") return at[stage] ?? null;
  const all = Object.values(at);
  return { cpp: all.reduce((sum, c) => sum + c.cpp, 0), ipp: all.reduce((sum, c) => sum + c.ipp, 0) };
};

const figureOf = (index: number, stage: string, salt: number): Figure | null => {
  const cost = costOf(index, stage);
  if (!cost) return null;
  const cpp = cost.cpp * (1 + wobble(index * 31 + salt) * 0.003);
  return {
    cpp,
    ipp: cost.ipp,
    eipc: cost.ipp / cpp,
    sources: { cpp: "tsc", ipp: "simulated", eipc: "tsc+simulated" },
  };
};

function changeOf(base: number, head: number, stage: string): Change {
  const a = figureOf(base, stage, 1);
  const b = figureOf(head, stage, 2);
  if (!a?.cpp || !b?.cpp || !a.ipp || !b.ipp || !a.eipc || !b.eipc)
    return {
      base: a,
      head: b,
      ratio_cpp: null,
      low: null,
      high: null,
      p_value: null,
      ln_cpp: null,
      ln_ipp: null,
      ln_eipc: null,
    };
  const ratio = b.cpp / a.cpp;
  return {
    base: a,
    head: b,
    ratio_cpp: ratio,
    low: ratio * (1 - HALF_WIDTH),
    high: ratio * (1 + HALF_WIDTH),
    p_value: Math.abs(Math.log(ratio)) > HALF_WIDTH ? 0.0004 : 0.61,
    ln_cpp: Math.log(ratio),
    ln_ipp: Math.log(b.ipp / a.ipp),
    ln_eipc: Math.log(b.eipc / a.eipc),
  };
}

export function comparisonOf(base: number, head: number): { chain: Change; stages: StageChange[] } {
  const chain = changeOf(base, head, "chain");
  const stages = ORDER.filter((stage) => costOf(base, stage) || costOf(head, stage)).map(
    (stage): StageChange => {
      const change = changeOf(base, head, stage);
      const contribution = (change.head?.cpp ?? 0) - (change.base?.cpp ?? 0);
      const significant = change.ln_cpp != null && Math.abs(change.ln_cpp) > HALF_WIDTH * 1.5;
      const byInstructions = Math.abs(change.ln_ipp ?? 0) > Math.abs(change.ln_eipc ?? 0);
      return {
        ...change,
        stage,
        kind: change.base === null ? "added" : change.head === null ? "removed" : "common",
        contribution_cycles: contribution,
        significant,
        relevant: significant && Math.abs(contribution) > (chain.base?.cpp ?? 1) * MARGIN,
        cause: significant ? (byInstructions ? "instructions" : "pipeline") : null,
      };
    },
  );
  return { chain, stages };
}

const percent = (ratio: number): string =>
  `${ratio >= 1 ? "+" : "−"}${Math.abs((ratio - 1) * 100).toFixed(1)} %`;

export function verdictOf(head: number): Verdict {
  const step = STEPS[head] ?? { subject: "", author: "", display: "same" as const };
  const broken = step.display === "broken";
  const { chain, stages } = comparisonOf(Math.max(head - 1, 0), head);
  const measured = !broken && !step.unchanged && head > 0;
  const stage = stages.find((item) => item.stage === step.stage);
  const outcome = step.display === "feature" ? "same" : step.display;
  const summary = broken
    ? "forwards nothing after start"
    : step.unchanged
      ? "code sections equal"
      : step.adds
        ? `+${step.adds.stage}: +${step.adds.cpp.toFixed(1)} cycles/packet; otherwise within ±2 %`
        : step.display === "same" || step.display === "inconclusive"
          ? step.display === "same"
            ? "no change beyond 2 %"
            : "noise too large to decide"
          : `${step.stage}: ${percent(stage?.ratio_cpp ?? 1)} cycles, ${step.cause === "pipeline" ? "pipeline use" : "instructions"}`;
  const reason: Record<Display, string> = {
    regressed: `Cycles per packet grew, ${percent(chain.ratio_cpp ?? 1)}: ${step.cause === "pipeline" ? "worse pipeline use (eIPC fell, instructions did not change)" : "more instructions per packet"}.`,
    improved: `Cycles per packet fell, ${percent(chain.ratio_cpp ?? 1)}: ${step.cause === "pipeline" ? "better pipeline use" : "fewer instructions per packet"}.`,
    feature: `The scenario gained ${step.adds?.stage}; the stages both builds have did not change.`,
    same: step.unchanged
      ? "The code sections of both builds are equal: nothing to measure."
      : "The change lies within the margin of 2 %.",
    inconclusive:
      "After 12 launches the interval still reaches across the margin. A quieter host or more launches would help.",
    invalid: "",
    broken: "The network function of head forwards no packet: 0 of 200000 left it within 5 s.",
  };
  return {
    outcome,
    display: step.display,
    reason: reason[step.display],
    summary,
    scenario: "sfc_a",
    features_added: step.adds ? [step.adds.stage] : [],
    features_removed: [],
    price_cycles_per_packet: step.adds ? step.adds.cpp : null,
    chain: measured ? chain : null,
    stages: measured ? stages : [],
    culprit_stages: step.stage && ["regressed", "improved"].includes(step.display) ? [step.stage] : [],
    cause: step.cause ?? null,
    fixes_sha: step.fixes === undefined ? null : shaOf(step.fixes),
    recovery: null,
    stage_notes: Object.fromEntries(stages.map((one) => [one.stage, "no significant change"])),
    interval_note: null,
    unchanged: step.unchanged ?? false,
    functions_judged: measured ? 2 : 0,
  };
}

const briefOf = (head: number): VerdictBrief => {
  const verdict = verdictOf(head);
  return {
    run_id: runOf(head),
    scenario: verdict.scenario,
    outcome: verdict.outcome,
    display: verdict.display,
    cause: verdict.cause ?? null,
    stage: verdict.culprit_stages?.[0] ?? null,
    summary: verdict.summary,
    ratio_cpp: verdict.display === "feature" ? null : (verdict.chain?.ratio_cpp ?? null),
    low: verdict.display === "feature" ? null : (verdict.chain?.low ?? null),
    high: verdict.display === "feature" ? null : (verdict.chain?.high ?? null),
    features_added: verdict.features_added ?? [],
    features_removed: verdict.features_removed ?? [],
    price_cycles_per_packet: verdict.price_cycles_per_packet ?? null,
    price_low: verdict.feature_split?.features_low ?? null,
    price_high: verdict.feature_split?.features_high ?? null,
    fixes_sha: verdict.fixes_sha,
    recovery: verdict.recovery,
    unchanged: verdict.unchanged,
  };
};

const HOUR = 3_600_000;
export function refOf(index: number): CommitRef {
  const sha = shaOf(index);
  const step = STEPS[index];
  return {
    sha,
    short_sha: sha.slice(0, 7),
    subject: step?.subject ?? PENDING[index - COUNT] ?? "",
    author: step?.author ?? "Ada Novak",
    committed_at: new Date(Date.now() - (COUNT + PENDING.length - index) * 5.3 * HOUR).toISOString(),
  };
}

/** Newest first. */
export function commits(): Commit[] {
  const jobs: Record<number, Commit["job"]> = {
    [COUNT]: {
      id: 41,
      state: "measuring",
      step: "rounds",
      detail: "launch 7 of 12, base and head in turn",
      fraction: 0.58,
      message: null,
    },
    [COUNT + 1]: { id: 42, state: "queued", step: null, detail: null, fraction: null, message: null },
  };
  return Array.from({ length: COUNT + PENDING.length }, (_, index) => ({
    ...refOf(index),
    parent_sha: index > 0 ? shaOf(index - 1) : null,
    job: jobs[index] ?? null,
    skipped: null,
    verdicts: index > 0 && index < COUNT ? [briefOf(index)] : [],
  })).reverse();
}

export function points(metric: string): HistoryPoint[] {
  return Array.from({ length: COUNT }, (_, index) => index)
    .filter((index) => STEPS[index]?.display !== "broken")
    .map((index) => {
      const ref = refOf(index);
      const verdict = verdictOf(index);
      const names = metric === "pps" ? ["chain"] : ["chain", ...stagesOf(index)];
      const values: HistoryPoint["values"] = {};
      for (const name of names) {
        const figure = figureOf(index, name, 3);
        const value = !figure
          ? null
          : metric === "cpp"
            ? figure.cpp
            : metric === "ipp"
              ? figure.ipp
              : metric === "eipc"
                ? figure.eipc
                : 2.4e9 / (figure.cpp ?? 1);
        const width = metric === "ipp" ? 0 : (value ?? 0) * (0.006 + 0.004 * Math.abs(wobble(index + 77)));
        values[name] =
          value === null || value === undefined
            ? null
            : {
                value,
                low: value - width,
                high: value + width,
                source: metric === "ipp" ? "simulated" : "tsc",
              };
      }
      return {
        sha: ref.sha,
        short_sha: ref.short_sha,
        subject: ref.subject,
        committed_at: ref.committed_at,
        parent_sha: index > 0 ? shaOf(index - 1) : null,
        base_sha: index > 0 ? shaOf(index - 1) : null,
        run_id: runOf(index),
        display: verdict.display,
        cause: verdict.cause ?? null,
        culprit_stage: verdict.culprit_stages?.[0] ?? null,
        values,
        measured: values,
      };
    });
}
