// SPDX-License-Identifier: Apache-2.0
/**
 * The split of a change in cycles into instructions and pipeline use, in cycles per packet.
 *
 * ln(CPP'/CPP) = ln(IPP'/IPP) - ln(eIPC'/eIPC) is exact (design/metrics.md). Multiplied by the logarithmic mean
 * of CPP' and CPP it becomes a sum in cycles per packet with nothing left over, so that bars add up.
 */
import { type CyclesPerPacket, cyclesPerPacket } from "../text/units";

export interface Split {
  /** head - base. */
  total: CyclesPerPacket;
  /** Part due to more or fewer instructions. */
  instructions: CyclesPerPacket | null;
  /** Part due to worse or better use of the pipeline (eIPC). */
  pipeline: CyclesPerPacket | null;
  /** The whole of a stage that came or went: its price, in no relation to a base. */
  whole: CyclesPerPacket | null;
}

export interface SplitInput {
  base?: { cpp: number | null } | null;
  head?: { cpp: number | null } | null;
  ln_ipp?: number | null;
  ln_eipc?: number | null;
}

/** Logarithmic mean: (b - a) / ln(b / a), and a where both are equal. a, b > 0. */
export function logarithmicMean(a: number, b: number): number {
  const difference = b - a;
  return difference === 0 ? a : difference / Math.log1p(difference / a);
}

/** Null when neither side was measured. */
export function splitCycles(change: SplitInput): Split | null {
  const base = change.base?.cpp ?? null;
  const head = change.head?.cpp ?? null;
  if (base === null && head === null) return null;
  if (base === null || head === null || base <= 0 || head <= 0) {
    const whole = cyclesPerPacket((head ?? 0) - (base ?? 0));
    return { total: whole, instructions: null, pipeline: null, whole };
  }
  const total = cyclesPerPacket(head - base);
  if (change.ln_ipp === null || change.ln_ipp === undefined) return unsplit(total);
  if (change.ln_eipc === null || change.ln_eipc === undefined) return unsplit(total);
  const mean = logarithmicMean(base, head);
  return {
    total,
    instructions: cyclesPerPacket(mean * change.ln_ipp),
    pipeline: cyclesPerPacket(-mean * change.ln_eipc),
    whole: null,
  };
}

/** Measured on both sides, but without instruction counts: the change is known, its cause is not. */
const unsplit = (total: CyclesPerPacket): Split => ({
  total,
  instructions: null,
  pipeline: null,
  whole: null,
});

export interface BarSegment {
  part: "instructions" | "pipeline" | "whole" | "unsplit";
  from: number;
  to: number;
}

/** Segments of a diverging bar in cycles per packet: what adds lies right of 0, what saves lies left. */
export function barSegments(split: Split): BarSegment[] {
  if (split.whole !== null) return [segment("whole", 0, split.whole)];
  if (split.instructions === null || split.pipeline === null) return [segment("unsplit", 0, split.total)];
  const { instructions, pipeline } = split;
  const stacked = Math.sign(instructions) === Math.sign(pipeline) ? instructions : 0;
  return [segment("instructions", 0, instructions), segment("pipeline", stacked, stacked + pipeline)];
}

const segment = (part: BarSegment["part"], a: number, b: number): BarSegment => ({
  part,
  from: Math.min(a, b),
  to: Math.max(a, b),
});

/** Largest distance from 0 any of the bars reaches; at least `floor`, so that noise is not blown up. */
export function barReach(splits: readonly (Split | null)[], floor: number): number {
  const ends = splits.flatMap((split) => (split ? barSegments(split).flatMap((s) => [s.from, s.to]) : []));
  return Math.max(floor, ...ends.map(Math.abs));
}
