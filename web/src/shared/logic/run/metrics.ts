// SPDX-License-Identifier: Apache-2.0
/** Metrics beside packets and cycles, as rows of a table. */
import { changeWithInterval, figure } from "../text/format";
import { ratio } from "../text/units";

/** As a verdict has it. */
export interface MetricChange {
  metric: string;
  stage?: string | null;
  /** The C function of `function_ipp`. */
  function?: string | null;
  unit: string;
  outcome: string;
  gates: boolean;
  base?: number | null;
  head?: number | null;
  ratio?: number | null;
  low?: number | null;
  high?: number | null;
  margin: number;
  reason?: string | null;
}

export interface MetricRow {
  key: string;
  /** Stage and C function; empty: the chain. */
  of: string;
  metric: string;
  base: string;
  head: string;
  change: string;
  outcome: string;
  /** Why it is missing or undecided, or that it is only shown. */
  note: string;
  fails: boolean;
}

/** Instructions per packet of a C function. */
const FUNCTION_IPP = "function_ipp";

const asRatio = (value: number | null | undefined) =>
  value === null || value === undefined ? null : ratio(value);

/** Those that can fail the check come first, each group in the server's order. */
export function metricRows(changes: readonly MetricChange[]): MetricRow[] {
  const ordered = [...changes.filter((one) => one.gates), ...changes.filter((one) => !one.gates)];
  return ordered.map((one) => {
    const exact = one.low === one.high;
    return {
      key: [one.stage, one.function, one.metric].join(" "),
      of: [one.stage, one.function].filter(Boolean).join(" "),
      metric: one.metric === FUNCTION_IPP ? "ipp" : one.metric,
      base: figure(one.base, one.unit),
      head: figure(one.head, one.unit),
      change: changeWithInterval(
        asRatio(one.ratio),
        exact ? null : asRatio(one.low),
        exact ? null : asRatio(one.high),
      ),
      outcome: one.outcome,
      note: one.reason ?? (one.gates ? "" : "only shown: nalm.toml gives it no threshold"),
      fails: one.gates && one.outcome === "regressed",
    };
  });
}
