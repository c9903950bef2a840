// SPDX-License-Identifier: Apache-2.0
/** Tables of models, variants, prices, quality and hosts as files: figures as they were sent, units in the heads. */

import type { ModelFigures } from "../run/models";
import type { ProportionLike } from "../run/rates";
import { effectWord, type VariantShown } from "../run/variants";
import { type Cell, type Row, table } from "./csv";

export const modelsFile = (rows: readonly ModelFigures[]): Row[] =>
  table(rows, {
    chain: (one) => one.chain,
    model: (one) => one.model,
    measured_in: (one) => one.note,
    "cpp [cycles/packet]": (one) => one.cpp,
    "ipp [instructions/packet]": (one) => one.ipp,
    "eipc [instructions/cycle]": (one) => one.eipc,
    "pps [packets/s]": (one) => one.pps,
    "cpp_against_first [ratio]": (one) => one.ratio,
    "low [ratio]": (one) => one.low,
    "high [ratio]": (one) => one.high,
  });

interface CostAndRateLike {
  host_class: string;
  scenarios: readonly { scenario: string; lcores: number; cpp: number; ndr_pps: number }[];
}
export const costsFile = ({ host_class, scenarios }: CostAndRateLike): Row[] =>
  table(scenarios, {
    scenario: (one) => one.scenario,
    host_class: () => host_class,
    lcores: (one) => one.lcores,
    "cpp [cycles/packet]": (one) => one.cpp,
    "ndr [packets/s]": (one) => one.ndr_pps,
  });

export const variantsFile = (variants: readonly VariantShown[]): Row[] =>
  table(
    variants.flatMap((variant) => variant.chains.map((chain) => ({ variant, ...chain }))),
    {
      variant: (one) => one.variant.name,
      tuning: (one) => one.variant.tuning,
      chain: (one) => one.chain,
      off: (one) => one.off,
      on: (one) => one.on,
      "cpp_on_against_off [ratio]": (one) => one.ratio,
      "low [ratio]": (one) => one.low,
      "high [ratio]": (one) => one.high,
      effect: (one) => effectWord(one.variant, one),
      "cpp_off [cycles/packet]": (one) => one.cppOff,
      "cpp_on [cycles/packet]": (one) => one.cppOn,
      "pps_off [packets/s]": (one) => one.ppsOff,
      "pps_on [packets/s]": (one) => one.ppsOn,
    },
  );

interface PriceLineLike {
  source: string;
  scenario: string;
  host_class: string;
  points: readonly {
    commit: { sha: string };
    run_id: string | null;
    cycles: number;
    low: number | null;
    high: number | null;
    pps: number | null;
    stages: { [stage: string]: number };
  }[];
}
/** A column for each stage that pays somewhere. */
export function priceHistoryFile(lines: readonly PriceLineLike[]): Row[] {
  const points = lines.flatMap(({ points, ...line }) => points.map((point) => ({ ...line, ...point })));
  const stages = [...new Set(points.flatMap((point) => Object.keys(point.stages)))];
  const paid = stages.map((stage) => [
    `paid_by_${stage} [cycles/packet]`,
    (one: (typeof points)[number]): Cell => one.stages[stage],
  ]);
  return table(points, {
    told_by: (one) => one.source,
    scenario: (one) => one.scenario,
    host_class: (one) => one.host_class,
    commit: (one) => one.commit.sha,
    run: (one) => one.run_id,
    "price [cycles/packet]": (one) => one.cycles,
    "low [cycles/packet]": (one) => one.low,
    "high [cycles/packet]": (one) => one.high,
    "effect [packets/s]": (one) => one.pps,
    ...Object.fromEntries(paid),
  });
}

interface FitLike {
  model: { terms: readonly { features: readonly string[]; cycles: number }[] } | null;
  predictions: readonly {
    features: readonly string[];
    measured: number;
    predicted: number;
    error: number;
    held_out: boolean;
  }[];
}
/** Terms, then what the model says of sets it was not fitted on. */
export function fitFile({ model, predictions }: FitLike): Row[] {
  const term = ["row", "features", "term [cycles/packet]"];
  const prediction = ["measured [cycles/packet]", "predicted [cycles/packet]", "error [share]"];
  const set = (features: readonly string[]): string => features.join(" ");
  return [
    [...term, ...prediction],
    ...(model?.terms ?? []).map((one): Row => ["term", set(one.features), one.cycles, null, null, null]),
    ...predictions.map(
      (one): Row => [
        one.held_out ? "held out" : "left out in turn",
        set(one.features),
        null,
        one.measured,
        one.predicted,
        one.error,
      ],
    ),
  ];
}

/** Rates of one table, under what they are counted of. */
export interface RateGroup {
  group: string;
  rates: readonly { name: string; of: ProportionLike }[];
}
export const ratesFile = (groups: readonly RateGroup[]): Row[] =>
  table(
    groups.flatMap(({ group, rates }) => rates.map((one) => ({ group, ...one }))),
    {
      group: (one) => one.group,
      name: (one) => one.name,
      hits: (one) => one.of.hits,
      trials: (one) => one.of.trials,
      "rate [share]": (one) => one.of.rate,
      "low [share]": (one) => one.of.low,
      "high [share]": (one) => one.of.high,
    },
  );

interface SpreadLike {
  count: number;
  median: number;
  far: number;
  longest: number;
}
export const delayFile = (delays: { commits: SpreadLike | null; minutes: SpreadLike | null }): Row[] =>
  table(
    (["commits", "minutes"] as const).flatMap((unit) => {
      const spread = delays[unit];
      return spread ? [{ unit, ...spread }] : [];
    }),
    {
      unit: (one) => one.unit,
      alerts: (one) => one.count,
      median: (one) => one.median,
      nine_in_ten_within: (one) => one.far,
      longest: (one) => one.longest,
    },
  );

interface ResolutionLike {
  project: string;
  scenario: string;
  runs: number;
  launches: number;
  width: number;
  spread: number | null;
  detectable: readonly { launches: number; change: number | null }[];
}
export function resolutionFile(resolutions: readonly ResolutionLike[]): Row[] {
  const counts = [
    ...new Set(resolutions.flatMap(({ detectable }) => detectable.map(({ launches }) => launches))),
  ];
  const seen = counts.map((count) => [
    `seen_in_${count}_launches [share]`,
    ({ detectable }: ResolutionLike): Cell => detectable.find(({ launches }) => launches === count)?.change,
  ]);
  return table(resolutions, {
    project: (one) => one.project,
    scenario: (one) => one.scenario,
    runs: (one) => one.runs,
    launches: (one) => one.launches,
    "half_width [share]": (one) => one.width,
    "noise_of_a_launch [share]": (one) => one.spread,
    ...Object.fromEntries(seen),
  });
}

interface ConfirmationLike {
  scenario: string;
  remeasurement: string;
  first_host: string | null;
  host: string | null;
  outcome: string | null;
  why: string | null;
  ratio: number | null;
  low: number | null;
  high: number | null;
  requested_at: string;
  answered_at: string | null;
  run_id: string | null;
  job_id: number | null;
  bisect_id: number | null;
}
export const confirmationsFile = (measurements: readonly ConfirmationLike[]): Row[] =>
  table(measurements, {
    scenario: (one) => one.scenario,
    remeasurement: (one) => one.remeasurement,
    first_host: (one) => one.first_host,
    host: (one) => one.host,
    outcome: (one) => one.outcome,
    why: (one) => one.why,
    "cpp [ratio]": (one) => one.ratio,
    "low [ratio]": (one) => one.low,
    "high [ratio]": (one) => one.high,
    requested_at: (one) => one.requested_at,
    answered_at: (one) => one.answered_at,
    run: (one) => one.run_id,
    job: (one) => one.job_id,
    bisect: (one) => one.bisect_id,
  });
