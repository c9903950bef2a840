// SPDX-License-Identifier: Apache-2.0
import type {
  Change,
  Check,
  Comparison,
  Host,
  RunDetail,
  RunReport,
  StageChange,
} from "../../src/shared/api/types";
import { comparisonOf, costOf, refOf, runOf, shaOf, stagesOf, verdictOf, wobble } from "./history.ts";

export const HOST: Host = {
  name: "bench-1",
  host_class: "vm-2core-avx2",
  cpu_model: "Example CPU at 2.40 GHz",
  cores: 2,
  tsc_hz: 2_400_000_000,
  memory_bytes: 25_769_803_776,
  kernel: "6.1.0-28-amd64",
  os: "Debian GNU/Linux 12",
  virtual: true,
  huge_pages: false,
  governor: null,
  caches: { L1d: 32768, L2: 1048576, L3: 34603008 },
  pinned: { "DPDK SIMD width": "256", glibc: "x86-64-v3" },
};

export const CHECKS: Check[] = [
  {
    name: "eq6_closes",
    passed: true,
    value: 0.0031,
    limit: 0.01,
    message: "Eq. 6 closes within 0.31 % of the measured rate.",
  },
  {
    name: "stages_add_up",
    passed: true,
    value: 0.0004,
    limit: 0.01,
    message: "The stages add up to the chain within 0.04 %.",
  },
  {
    name: "packets_conserved",
    passed: true,
    value: 0,
    limit: 0,
    message: "Every packet handed in has an outcome.",
  },
  {
    name: "generator_honest",
    passed: true,
    value: 1,
    limit: 1,
    message: "No turn starved: the generator always had packets.",
  },
  {
    name: "same_share_forwarded",
    passed: true,
    value: 1,
    limit: 0.999,
    message: "Base and head forward the same share of packets.",
  },
];

const LAUNCHES = 12;
const TURNS = 8;

export const roundsOf = (index: number, salt: number): { launch: number; turn: number; cpp: number }[] => {
  const level = costOf(index, "chain")?.cpp ?? 0;
  return Array.from({ length: LAUNCHES * TURNS }, (_, n) => {
    const launch = Math.floor(n / TURNS);
    const cpp = level * (1 + 0.008 * wobble(launch * 13 + salt) + 0.006 * wobble(n * 17 + salt + 500));
    return { launch, turn: n % TURNS, cpp };
  });
};

function decompositionOf(
  chain: Change,
  stages: readonly StageChange[],
  paired: boolean,
): Comparison["decomposition"] {
  const parts = stages.map((stage) => {
    const cycles = (stage.head?.cpp ?? 0) - (stage.base?.cpp ?? 0);
    return {
      stage: stage.stage,
      kind: stage.kind,
      base: null,
      head: null,
      efficiency_cycles: stage.kind === "common" ? cycles : 0,
      mix_cycles: 0,
      features_cycles: stage.kind === "common" ? 0 : cycles,
      model_cycles: 0,
    };
  });
  const sum = (key: "efficiency_cycles" | "features_cycles"): number =>
    parts.reduce((total, part) => total + part[key], 0);
  const [efficiency_cycles, features_cycles] = [sum("efficiency_cycles"), sum("features_cycles")];
  const base_cycles = chain.base?.cpp ?? 0;
  const total_cycles = efficiency_cycles + features_cycles;
  return {
    measured: paired ? "paired" : "apart",
    base_cycles,
    head_cycles: base_cycles + total_cycles,
    total_cycles,
    efficiency_cycles,
    mix_cycles: 0,
    features_cycles,
    model_cycles: 0,
    efficiency_ratio: 1 + efficiency_cycles / base_cycles,
    low: null,
    high: null,
    level: 0.95,
    mix_ratio: 1,
    stages: parts,
    notes: [],
  };
}

const sideOf = (index: number, arm: "base" | "head"): Comparison["sides"]["base"] => ({
  run_id: runOf(index),
  arm,
  scenario: "sfc_a",
  model: "rtc",
  traffic: "traffic/mixed.pcap",
  features: stagesOf(index),
  host: HOST.name,
  host_class: HOST.host_class,
  measured_at: refOf(index).committed_at ?? "",
});

export function comparison(base: number, head: number): Comparison {
  const paired = head === base + 1;
  const verdict = paired ? verdictOf(head) : null;
  const change = comparisonOf(base, head);
  const measured = verdict === null || verdict.chain !== null;
  return {
    scenario: "sfc_a",
    base: refOf(base),
    head: refOf(head),
    sides: { base: sideOf(paired ? head : base, "base"), head: sideOf(head, "head") },
    paired,
    run_ids: paired ? [runOf(head)] : [runOf(base), runOf(head)],
    verdict,
    chain: measured ? change.chain : null,
    stages: measured ? change.stages : [],
    linked: [{ stage: "chain", ratio: 1.031, low: 1.024, high: 1.038, level: 0.95 }],
    stage_notes: verdict?.stage_notes ?? {},
    interval_note: null,
    decomposition: measured && change.chain ? decompositionOf(change.chain, change.stages, paired) : null,
    rounds: measured
      ? {
          base: roundsOf(base, 1),
          head: roundsOf(head, 2),
          head_as_base: verdict?.display === "feature" ? roundsOf(base, 5) : [],
        }
      : { base: [], head: [], head_as_base: [] },
    checks: paired ? CHECKS : [],
    host: HOST,
    notes: paired
      ? ["2 of 194 rounds were set aside: more than 2 % of their time was stolen."]
      : [
          "The two were never measured side by side: the difference between hosts and days is in these figures.",
        ],
  };
}

const arm = (index: number): RunDetail["arms"][string] => ({
  build: {
    commit: shaOf(index),
    dirty: false,
    tree: `sha256:${shaOf(index + 200)}`,
    code_digest: `sha256:${shaOf(index + 300)}`,
    compiler: "gcc 12.2.0",
    options: ["--buildtype=release", "-march=x86-64-v3"],
    build_seconds: index % 2 ? 14.2 : null,
  },
  run: {
    features: stagesOf(index).filter((stage) => !["rx", "tx"].includes(stage)),
    command: ["{build}/nalm-nf", "--lcores=0@1", "--no-pci", "--", "--config", "{source}/conf/sfc_a.conf"],
    traffic: "traffic/mixed.pcap sha256:5ad1…",
  },
  stages: [
    { name: "generator", apart: true, outcomes: {} },
    ...stagesOf(index).map((name) => ({ name, apart: false, outcomes: {} })),
  ],
});

export function runDetail(index: number): RunDetail {
  const verdict = verdictOf(index);
  const status = verdict.display === "broken" ? "broken" : verdict.unchanged ? "unchanged" : "measured";
  const started = Date.parse(refOf(index).committed_at ?? "") + 240_000;
  return {
    run_id: runOf(index),
    scenario: "sfc_a",
    host: HOST.name,
    host_class: HOST.host_class,
    status,
    base_sha: shaOf(index - 1),
    head_sha: shaOf(index),
    job_id: 20 + index,
    started_at: new Date(started).toISOString(),
    finished_at: new Date(started + 41_700).toISOString(),
    outcome: verdict.outcome,
    display: verdict.display,
    project: "nalm-reference-nf",
    failure:
      status === "broken"
        ? "nalm-nf: reload: cannot map table: Invalid argument\nnalm-nf: 0 packets left in 5 s"
        : null,
    received_at: new Date(started + 42_000).toISOString(),
    nalm_version: "0.1.0",
    report_expired: false,
    lcores: 1,
    model: "rtc",
    traffic: "traffic/mixed.pcap",
    load: "closed",
    offered: null,
    fingerprint: HOST,
    sources: { tsc: null, pmu: "the kernel says: not supported by this CPU or hypervisor", simulated: null },
    tools: {},
    settings: {
      margin: 0.02,
      alpha: 0.01,
      looks: 3,
      turn_ms: 50,
      turns_per_launch: TURNS,
      max_launches: LAUNCHES,
    },
    arms: { base: arm(index - 1), head: arm(index) },
    checks: CHECKS,
    notes: ["2 of 194 rounds were set aside: more than 2 % of their time was stolen."],
    rounds_kept: 192,
    rounds_set_aside: 2,
    trials: 0,
    trials_invalid: 0,
    launches: LAUNCHES,
    report_bytes: 412_880,
    explanation: null,
    report_digest: `sha256:${shaOf(index + 400)}`,
    verdict,
  };
}

export function runReport(index: number): RunReport {
  const detail = runDetail(index);
  const packets = 200_000;
  return {
    schema: "nalm.run-report/2",
    run_id: detail.run_id,
    nalm_version: detail.nalm_version,
    project: detail.project,
    scenario: { name: "sfc_a", model: "rtc", lcores: 1, traffic: detail.traffic, load: "closed" },
    host: HOST,
    status: detail.status,
    failure: detail.failure,
    started_at: detail.started_at,
    finished_at: detail.finished_at,
    settings: detail.settings,
    arms: detail.arms,
    sources: detail.sources,
    rounds: [
      {
        launch: 3,
        turn: 5,
        order: 0,
        arm: "head",
        lcores: [],
        stages: {},
        steal_ns: 1_900_000,
        set_aside: "3.8 % of the CPU time was stolen; the limit is 2 %",
      },
    ],
    instructions: (["base", "head"] as const).map((name, position) => {
      const at = index - 1 + position;
      return {
        arm: name,
        source: "simulated" as const,
        packets,
        stages: Object.fromEntries(
          stagesOf(at).map((s) => [s, Math.round((costOf(at, s)?.ipp ?? 0) * packets)]),
        ),
        unattributed: 8 * packets,
        functions: {
          nat: [
            { name: "nat_process", instructions: 71 * packets, calls: 6250 },
            { name: "rte_hash_lookup_bulk_data", instructions: 48 * packets, calls: 6250 },
          ],
        },
      };
    }),
    checks: CHECKS,
    notes: detail.notes,
  };
}
