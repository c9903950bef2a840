// SPDX-License-Identifier: Apache-2.0
/** The price list of features as it is read: which figures stand together, and in which words. */
import { grouped } from "../../shared/logic/grouped";
import type { Explained } from "./explained";

export const SOURCES = ["experiment", "merge", "stage"] as const;
export type Source = (typeof SOURCES)[number];

export const SOURCE_SAYS: Record<Source, Explained> = {
  experiment: {
    word: "experiment",
    sentence: "Measured off and on within one commit, side by side, against the reference feature set.",
  },
  merge: {
    word: "its merge",
    sentence: "Measured with and without it, by the commit that added or removed it alone.",
  },
  stage: {
    word: "its stage",
    sentence: "CPP of the stage with the same name: its own cost, not what it costs other stages.",
  },
};

interface LineLike {
  feature: string;
  scenario: string;
  host_class: string;
  source: Source;
}

export const lineKey = ({ feature, scenario, host_class, source }: LineLike): string =>
  [feature, scenario, host_class, source].join("/");

/** Lines by feature, most expensive first; in each by scenario and host class, then the surer source first. */
export function byFeature<T extends LineLike & { now: { cycles: number } }>(lines: readonly T[]): T[][] {
  const groups = grouped(lines, (line) => line.feature);
  const costliest = (group: readonly T[]): number => Math.max(...group.map((line) => line.now.cycles));
  const place = (line: T): string => `${line.scenario}/${line.host_class}/${SOURCES.indexOf(line.source)}`;
  return groups
    .map((group) => [...group].sort((a, b) => place(a).localeCompare(place(b))))
    .sort((a, b) => costliest(b) - costliest(a));
}

/** A set of features as text, in order. */
export const setText = (features: readonly string[]): string =>
  features.length === 0 ? "none" : features.join(", ");
