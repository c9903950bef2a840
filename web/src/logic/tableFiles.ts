// SPDX-License-Identifier: Apache-2.0
/** Tables of pages as files: the figures as they were sent, not as rounded for reading. */
import type { Cell, Row } from "./csv";

type Known = number | null | undefined;

/** One column a name; what a row has not is an empty cell. */
function table<T>(rows: readonly T[], columns: { readonly [name: string]: (row: T) => Cell }): Row[] {
  const cells = Object.values(columns);
  return [Object.keys(columns), ...rows.map((row): Row => cells.map((cell) => cell(row)))];
}

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
    contribution_cycles: (one) => one.contribution_cycles,
    base_cpp: (one) => one.base?.cpp,
    head_cpp: (one) => one.head?.cpp,
    base_ipp: (one) => one.base?.ipp,
    head_ipp: (one) => one.head?.ipp,
    base_eipc: (one) => one.base?.eipc,
    head_eipc: (one) => one.head?.eipc,
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
    efficiency_cycles: (one) => one.efficiency_cycles,
    mix_cycles: (one) => one.mix_cycles,
    features_cycles: (one) => one.features_cycles,
    model_cycles: (one) => one.model_cycles,
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
    cycles_per_packet: (one) => one.now.cycles,
    low: (one) => one.now.low,
    high: (one) => one.now.high,
    pps: (one) => one.now.pps,
  });

interface NcppLike {
  name: string | null;
  commit: { sha: string };
  ncpp?: Known;
  low?: Known;
  high?: Known;
  cpp?: Known;
  expected_cycles?: Known;
  features?: readonly string[] | null;
}
export const ncppFile = (points: readonly NcppLike[]): Row[] =>
  table(points, {
    name: (one) => one.name,
    commit: (one) => one.commit.sha,
    ncpp: (one) => one.ncpp,
    low: (one) => one.low,
    high: (one) => one.high,
    cpp: (one) => one.cpp,
    expected_cycles: (one) => one.expected_cycles,
    features: (one) => one.features?.join(" "),
  });

interface MoveLike {
  scenario: string;
  host_class: string;
  stage: string;
  metric: string;
  ratio: number;
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

interface AuditLike {
  at: string;
  who: string;
  action: string;
  project?: string | null;
  subject: string;
  detail?: string | null;
  request_id?: string | null;
}
export const auditFile = (entries: readonly AuditLike[]): Row[] =>
  table(entries, {
    at: (one) => one.at,
    who: (one) => one.who,
    action: (one) => one.action,
    project: (one) => one.project,
    subject: (one) => one.subject,
    detail: (one) => one.detail,
    request_id: (one) => one.request_id,
  });
