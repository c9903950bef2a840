// SPDX-License-Identifier: Apache-2.0
/** The two sides of a comparison: as the address has them, as the server is asked, as a person reads them. */
import type { Axis, CompareSearch } from "./compareSearch";

/** The server's parameters. */
export interface Sides {
  base: string;
  head: string;
  scenario?: string | undefined;
  base_scenario?: string | undefined;
  base_host?: string | undefined;
  head_host?: string | undefined;
}

export const AXIS_WORDS: Record<Axis, string> = {
  commit: "Commits",
  host: "Hosts",
  model: "Execution models",
  features: "Feature sets",
};

export const axisOf = (search: CompareSearch): Axis => search.by ?? "commit";

/** A commit by its hash or the beginning of it, not by the name of a branch or tag. */
export const isSha = (revision: string): boolean => /^[0-9a-f]{7,64}$/.test(revision);

/** Null while something is still to be chosen. Every axis but the commit's has one commit on both sides. */
export function sidesOf(search: CompareSearch): Sides | null {
  const { base, head, scenario, base_scenario, base_host, head_host } = search;
  if (head === undefined) return null;
  switch (axisOf(search)) {
    case "commit":
      return base === undefined ? null : { base, head, scenario };
    case "host":
      return base_host && head_host ? { base: head, head, scenario, base_host, head_host } : null;
    default:
      return base_scenario && scenario ? { base: head, head, scenario, base_scenario } : null;
  }
}

/** The other way round; what was opened belongs to the order it was opened in. */
export function swapped(search: CompareSearch): CompareSearch {
  const { base, head, scenario, base_scenario, base_host, head_host } = search;
  const turned = { ...search, base_host: head_host, head_host: base_host, at: undefined, fn: undefined };
  if (axisOf(search) === "commit") return { ...turned, base: head, head: base };
  return base_scenario ? { ...turned, scenario: base_scenario, base_scenario: scenario } : turned;
}

/** A sha is said by its first digits. */
const short = (revision: string): string =>
  /^[0-9a-f]{12,}$/.test(revision) ? revision.slice(0, 7) : revision;

/** "1a2b3c4 → v1.2, sfc_a" */
export function pairText(search: CompareSearch): string {
  const sides = sidesOf(search);
  if (sides === null) return "";
  const { base, head, scenario, base_scenario, base_host, head_host } = sides;
  if (base_host) return `${short(head)}: ${base_host} → ${head_host}${scenario ? `, ${scenario}` : ""}`;
  if (base_scenario) return `${short(head)}: ${base_scenario} → ${scenario}`;
  return `${short(base)} → ${short(head)}${scenario ? `, ${scenario}` : ""}`;
}

const KEPT = 8;

/** The newest pair first, each once; `looks` (what was opened or how it was drawn) are no part of a pair. */
export function withPair(pairs: readonly CompareSearch[], search: CompareSearch): CompareSearch[] {
  const { rounds: _rounds, cost: _cost, at: _at, fn: _fn, ...pair } = search;
  const said = pairText(pair);
  if (said === "") return [...pairs];
  return [pair, ...pairs.filter((one) => pairText(one) !== said)].slice(0, KEPT);
}

interface Measured {
  parent_sha: string | null;
  base_sha: string | null;
  runs: readonly { run_id: string; base_sha: string | null }[];
}

interface OfRun {
  run_id: string;
  scenario: string;
}

type Commit<Of extends OfRun> = Measured & { verdicts: readonly Of[] };

const baseOf = ({ runs }: Measured, verdict: OfRun | undefined): string | null =>
  runs.find((run) => run.run_id === verdict?.run_id)?.base_sha ?? null;

/** The base of the verdict in a scenario, else of the first; of a commit without one, the base of its job. */
export function shownBase<Of extends OfRun>(commit: Commit<Of>, scenario: string | undefined): string | null {
  const shown = commit.verdicts.find((one) => one.scenario === scenario) ?? commit.verdicts[0];
  return baseOf(commit, shown) ?? commit.base_sha ?? commit.parent_sha;
}

/** Verdicts that compare the commit with this base. */
export const verdictsAgainst = <Of extends OfRun>(commit: Commit<Of>, base: string): Of[] =>
  commit.verdicts.filter((one) => baseOf(commit, one) === base);
