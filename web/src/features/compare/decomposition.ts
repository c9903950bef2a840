// SPDX-License-Identifier: Apache-2.0
/** A change of CPP as efficiency, mix, features and model: figures rounded so that those shown add up too. */

export const PARTS = ["efficiency", "mix", "features", "model"] as const;
export type Part = (typeof PARTS)[number];
type Cycles = { [part in `${Part}_cycles`]: number };

export const PART_SAYS: Record<Part, { word: string; sentence: string }> = {
  efficiency: {
    word: "Efficiency",
    sentence: "The stages that both have cost more or less a visit. The only part that can be a regression.",
  },
  mix: { word: "Mix", sentence: "A packet visits the common stages more or less often." },
  features: {
    word: "Features",
    sentence: "Stages that were added or removed with the features: the price of the features.",
  },
  model: {
    word: "Model",
    sentence: "Hand-overs between lcores that were added or removed with the execution model.",
  },
};

export const MEASURED_SAYS: Record<"paired" | "head_as_base" | "equal_code" | "apart", string> = {
  paired: "Both ran side by side.",
  head_as_base: "Both ran side by side, head with its own features and with base's.",
  equal_code: "Both sides are the same code with different features: the features cause the whole change.",
  apart: "From two runs, not side by side: shown, not judged.",
};

const DECIMALS = 2;
const rounded = (cycles: number): number => Math.round(cycles * 10 ** DECIMALS) / 10 ** DECIMALS;

export interface StageCells {
  stage: string;
  kind: string;
  cells: number[];
  total: number;
}

/** Cells of each stage by part; rows and columns add up as shown. */
export interface Cells {
  rows: StageCells[];
  totals: number[];
  total: number;
}

const sum = (values: readonly number[]): number => rounded(values.reduce((a, b) => a + b, 0));

export function cellsOf(stages: readonly (Partial<Cycles> & { stage: string; kind: string })[]): Cells {
  const rows = stages.map(({ stage, kind, ...cycles }) => {
    const cells = PARTS.map((part) => rounded(cycles[`${part}_cycles`] ?? 0));
    return { stage, kind, cells, total: sum(cells) };
  });
  const totals = PARTS.map((_, column) => sum(rows.map((row) => row.cells[column] ?? 0)));
  return { rows, totals, total: sum(totals) };
}

/** The part that is the whole change; null: several are, so that a picture tells more than the table of stages. */
export function wholePart(totals: readonly number[]): Part | null {
  const parts = PARTS.filter((_, index) => totals[index] !== 0);
  return parts.length > 1 ? null : (parts[0] ?? "efficiency");
}

export interface Step {
  part: Part;
  cycles: number;
  /** Cycles per packet before and after this part. */
  from: number;
  to: number;
}

export interface Waterfall {
  base: number;
  steps: Step[];
  head: number;
  /** Where the axis begins and ends; it begins above 0 where the change is small beside the whole. */
  low: number;
  high: number;
}

/** Changes smaller than this share of the whole would not be seen on an axis from 0. */
const CUT_BELOW = 0.25;

/** From base over each part to head. Parts that are nothing are left out, but efficiency. */
export function waterfall(baseCycles: number, totals: readonly number[]): Waterfall {
  const base = rounded(baseCycles);
  let level = base;
  const steps: Step[] = [];
  for (const [index, part] of PARTS.entries()) {
    const cycles = totals[index] ?? 0;
    if (cycles === 0 && part !== "efficiency") continue;
    const to = rounded(level + cycles);
    steps.push({ part, cycles, from: level, to });
    level = to;
  }
  const levels = [base, ...steps.map((step) => step.to)];
  const [least, most] = [Math.min(...levels), Math.max(...levels)];
  const span = Math.max(most - least, most * 0.002);
  const low = span < most * CUT_BELOW ? Math.max(least - span, 0) : 0;
  return { base, steps, head: level, low, high: most + (low > 0 ? span * 0.15 : 0) };
}
