// SPDX-License-Identifier: Apache-2.0
/** Bench hosts as people read them. Missing is never zero. */

import { counted } from "./overview";
import { bytes, MISSING, significant, THIN } from "./text/format";

interface CapabilitiesLike {
  lcores: number;
  pmu: boolean;
  nics: number;
  hugepages_mb: number;
  memory_mb: number;
  isolated_cpus: number;
  generators?: string[] | null;
}

const MIB = 1024 ** 2;

/** What a host has for measuring, the telling parts of it. */
export function capabilityWords(has: CapabilitiesLike | null): string[] {
  if (has === null) return ["hardware not reported"];
  return [
    counted(has.lcores, "lcore"),
    has.pmu ? "PMU" : "no PMU",
    ...(has.nics > 0 ? [counted(has.nics, "NIC")] : []),
    ...(has.hugepages_mb > 0 ? [`${bytes(has.hugepages_mb * MIB)} in huge pages`] : []),
    ...(has.memory_mb > 0 ? [`${bytes(has.memory_mb * MIB)} of memory`] : []),
    ...(has.isolated_cpus > 0 ? [counted(has.isolated_cpus, "isolated CPU")] : []),
    ...generatorWords(has.generators ?? []),
  ];
}

const generatorWords = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${names.length === 1 ? "generator" : "generators"} ${names.join(", ")}`];

/** Below it a share has more digits than it has meaning: a ten thousandth of a per cent. */
const FINEST = 1e-6;

/** A share as per cent. */
export function share(value: number | null | undefined): string {
  if (value === null || value === undefined) return MISSING;
  const tiny = value !== 0 && Math.abs(value) < FINEST;
  return `${tiny ? `< ${significant(FINEST * 100, 1)}` : significant(value * 100, 2)}${THIN}%`;
}

export interface Line {
  /** Points of an SVG polyline in a box of 100 x 24; a gap in the figures ends one and begins the next. */
  pieces: string[];
  low: number;
  high: number;
}

/** A sparkline of figures over time, oldest first; null: there is nothing to draw. leastSpan: values that differ less
 * do not fill its height. */
export function sparkline(values: readonly (number | null | undefined)[], leastSpan = 0): Line | null {
  const present = values.filter((value): value is number => typeof value === "number");
  if (present.length < 2) return null;
  const [low, high] = [Math.min(...present), Math.max(...present)];
  const span = Math.max(high - low, leastSpan) || 1;
  const bottom = leastSpan > high - low ? (low + high - span) / 2 : low;
  const pieces: string[][] = [[]];
  values.forEach((value, index) => {
    if (typeof value !== "number") {
      if (pieces.at(-1)?.length) pieces.push([]);
      return;
    }
    const x = (index / (values.length - 1)) * 100;
    const y = 22 - ((value - bottom) / span) * 20;
    pieces.at(-1)?.push(`${x.toFixed(1)},${y.toFixed(1)}`);
  });
  return { pieces: pieces.filter((piece) => piece.length > 0).map((piece) => piece.join(" ")), low, high };
}
