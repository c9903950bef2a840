// SPDX-License-Identifier: Apache-2.0
/** Tables of pages as files: the figures as they were sent, not as rounded for reading. */
import { type Row, table } from "./csv";

type Known = number | null | undefined;

interface Side {
  cpp?: Known;
  ipp?: Known;
  eipc?: Known;
}
interface ChangeLike {
  ratio_cpp?: Known;
  low?: Known;
  high?: Known;
  base?: Side | null;
  head?: Side | null;
}
interface StageLike extends ChangeLike {
  stage: string;
  contribution_cycles?: number | null;
}

/** Stages, and the chain at the end. */
export const stageFile = (stages: readonly StageLike[], chain: ChangeLike | null): Row[] =>
  table<StageLike>(chain ? [...stages, { ...chain, stage: "chain" }] : stages, {
    stage: (one) => one.stage,
    ratio_cpp: (one) => one.ratio_cpp,
    low: (one) => one.low,
    high: (one) => one.high,
    "contribution [cycles/packet]": (one) => one.contribution_cycles,
    "base_cpp [cycles/packet]": (one) => one.base?.cpp,
    "head_cpp [cycles/packet]": (one) => one.head?.cpp,
    "base_ipp [instructions/packet]": (one) => one.base?.ipp,
    "head_ipp [instructions/packet]": (one) => one.head?.ipp,
    "base_eipc [instructions/cycle]": (one) => one.base?.eipc,
    "head_eipc [instructions/cycle]": (one) => one.head?.eipc,
  });

interface PartsLike {
  stage: string;
  kind: string;
  efficiency_cycles?: Known;
  mix_cycles?: Known;
  features_cycles?: Known;
  model_cycles?: Known;
}
export const partsFile = (stages: readonly PartsLike[]): Row[] =>
  table(stages, {
    stage: (one) => one.stage,
    kind: (one) => one.kind,
    "efficiency [cycles/packet]": (one) => one.efficiency_cycles,
    "mix [cycles/packet]": (one) => one.mix_cycles,
    "features [cycles/packet]": (one) => one.features_cycles,
    "model [cycles/packet]": (one) => one.model_cycles,
  });

interface PriceLike {
  feature: string;
  scenario: string;
  host_class: string;
  source: string;
  now: { cycles: number; low: Known; high: Known; pps: Known };
}
export const priceFile = (lines: readonly PriceLike[]): Row[] =>
  table(lines, {
    feature: (one) => one.feature,
    scenario: (one) => one.scenario,
    host_class: (one) => one.host_class,
    source: (one) => one.source,
    "price [cycles/packet]": (one) => one.now.cycles,
    "low [cycles/packet]": (one) => one.now.low,
    "high [cycles/packet]": (one) => one.now.high,
    "effect [packets/s]": (one) => one.now.pps,
  });

interface NcppLike {
  name: string | null;
  commit: { sha: string };
  ncpp?: Known;
  low?: Known;
  high?: Known;
  cpp?: Known;
  linked: boolean;
  expected_cycles?: Known;
  features?: readonly string[] | null;
}
export const ncppFile = (points: readonly NcppLike[]): Row[] =>
  table(points, {
    name: (one) => one.name,
    commit: (one) => one.commit.sha,
    "ncpp [ratio]": (one) => one.ncpp,
    "low [ratio]": (one) => one.low,
    "high [ratio]": (one) => one.high,
    "cpp [cycles/packet]": (one) => one.cpp,
    values: (one) => (one.linked ? "linked" : "measured"),
    "expected [cycles/packet]": (one) => one.expected_cycles,
    features: (one) => one.features?.join(" "),
  });

/** shares: of batches with as many packets as their place says, from 0. */
export const batchesFile = (shares: readonly number[]): Row[] =>
  table(
    shares.map((share, size) => ({ size, share })),
    { size: (one) => one.size, "share [ratio]": (one) => one.share },
  );

interface MoveLike {
  scenario: string;
  host_class: string;
  stage: string;
  metric: string;
  ratio: Known;
  low: Known;
  high: Known;
  source: string;
  fate: string;
}
export const movesFile = (moves: readonly MoveLike[]): Row[] =>
  table(moves, {
    scenario: (one) => one.scenario,
    host_class: (one) => one.host_class,
    stage: (one) => one.stage,
    metric: (one) => one.metric,
    ratio: (one) => one.ratio,
    low: (one) => one.low,
    high: (one) => one.high,
    source: (one) => one.source,
    fate: (one) => one.fate,
  });
