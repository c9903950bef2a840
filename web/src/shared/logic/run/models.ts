// SPDX-License-Identifier: Apache-2.0
/** Chains under their execution models, as one table shows them. */
import { grouped } from "../grouped";

export interface ModelFigures {
  chain: string;
  /** Rows of one chain are compared where this is alike: its traffic and host class. */
  where: string;
  model: string;
  cpp: number | null;
  ipp: number | null;
  eipc: number | null;
  pps: number | null;
  /** CPP against the first of the rows that it is compared with, and its interval. */
  ratio: number | null;
  low: number | null;
  high: number | null;
  /** Said under the model. */
  note: string;
}

/** Rows that can be compared, in the order in which their chains first come. */
export const byChain = (rows: readonly ModelFigures[]): ModelFigures[][] =>
  grouped(rows, (row) => `${row.chain}\n${row.where}`);

/** The cheapest of a chain's rows; null where there is nothing to choose from. */
export function cheapest(rows: readonly ModelFigures[]): ModelFigures | null {
  const known = rows.filter((row) => row.cpp !== null);
  if (known.length < 2) return null;
  return known.reduce((a, b) => ((b.cpp ?? 0) < (a.cpp ?? 0) ? b : a));
}

export const modelWord = (model: string): string => (model === "rtc" ? "run to completion" : model);
