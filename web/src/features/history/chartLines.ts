// SPDX-License-Identifier: Apache-2.0
/** From the API's lines to what a chart draws: series over the common commits, x is a commit's place. */

import type { Columns, Mark, Scale } from "../../shared/logic/charts/history";
import { functionLabel } from "../../shared/logic/code/functions";
import type { Row } from "../../shared/logic/text/csv";
import { change, figure } from "../../shared/logic/text/format";
import { ratio } from "../../shared/logic/text/units";
import type { ValuesKind } from "./search";

interface StageLike {
  stage: string;
  /** A C function under the stage. */
  function: string | null;
  value: readonly (number | null)[];
  low: readonly (number | null)[];
  high: readonly (number | null)[];
  measured: readonly (number | null)[];
  measured_low: readonly (number | null)[];
  measured_high: readonly (number | null)[];
  same_features: readonly (number | null)[] | null;
}
export interface LineLike {
  scenario: string;
  branch: string | null;
  at: readonly number[];
  base_sha: readonly (string | null)[];
  display: readonly string[];
  stages: readonly StageLike[];
}

/** A series' name: its stage, and what tells its line from the others. */
export function seriesName(line: LineLike, stage: string, lines: readonly LineLike[]): string {
  const scenario = lines.some((one) => one.scenario !== line.scenario) ? line.scenario : null;
  const branch = lines.some((one) => one.branch !== line.branch) ? `@${line.branch}` : null;
  return [scenario, stage, branch].filter(Boolean).join(" ");
}

export type Series = Columns["stages"][number];

const nameOf = (one: StageLike): string =>
  one.function === null ? one.stage : functionLabel(one.stage, one.function);

type Edges = Pick<StageLike, "value" | "low" | "high">;

/** The columns of a series. Without the prices of features its interval is as wide as with them. */
function columnsOf(of: StageLike, values: ValuesKind): Edges {
  if (values === "measured") return { value: of.measured, low: of.measured_low, high: of.measured_high };
  const same = of.same_features;
  if (values === "linked" || same === null) return of;
  const scaled = (edges: readonly (number | null)[]): (number | null)[] =>
    edges.map((edge, index) => {
      const [whole, part] = [of.value[index], same[index]];
      return edge === null || !whole || part == null ? null : (edge * part) / whole;
    });
  return { value: same, low: scaled(of.low), high: scaled(of.high) };
}

/** The series of the wanted stages and functions (by label) that have a value; a missing one is null: a gap. */
export function seriesOf(
  lines: readonly LineLike[],
  stages: readonly string[],
  commits: number,
  values: ValuesKind = "linked",
): Series[] {
  return lines.flatMap((line) =>
    stages.flatMap((stage) => {
      const stored = line.stages.find((one) => nameOf(one) === stage);
      const found = stored && columnsOf(stored, values);
      if (found === undefined || found.value.every((value) => value === null)) return [];
      const placed = (column: readonly (number | null)[]): (number | null)[] =>
        scattered(column, line.at, commits);
      const edge = (edges: readonly (number | null)[]): (number | null)[] =>
        placed(found.value.map((value, index) => (value === null ? null : (edges[index] ?? value))));
      const name = seriesName(line, stage, lines);
      return [{ stage: name, value: placed(found.value), low: edge(found.low), high: edge(found.high) }];
    }),
  );
}

function scattered<T>(values: readonly T[], at: readonly number[], count: number): (T | null)[] {
  const placed = new Array<T | null>(count).fill(null);
  at.forEach((place, index) => {
    placed[place] = values[index] ?? null;
  });
  return placed;
}

/** Per cent against the value at a commit, or before it, or the first after it. */
export function relativeTo(series: readonly Series[], place: number): Series[] {
  return series.map((one) => {
    const base = valueAt(one.value, place);
    const convert = (value: number | null): number | null =>
      value === null || !base ? null : (value / base - 1) * 100;
    return {
      stage: one.stage,
      value: one.value.map(convert),
      low: one.low.map(convert),
      high: one.high.map(convert),
    };
  });
}

function valueAt(values: readonly (number | null)[], place: number): number | null {
  for (let index = place; index >= 0; index--) if (values[index] != null) return values[index] ?? null;
  return values.find((value, index) => index > place && value !== null) ?? null;
}

/** What has no place on a logarithmic axis is left out. */
export const positive = (series: readonly Series[]): Series[] =>
  series.map((one) => {
    const value = one.value.map((each) => (each !== null && each > 0 ? each : null));
    return {
      stage: one.stage,
      value,
      low: one.low.map((each, index) => (each !== null && each > 0 ? each : (value[index] ?? null))),
      high: one.high,
    };
  });

/** Unit of relative values, against a commit. */
export const PERCENT = "%";

/** The series as chart, table and files have them, and the unit of their values. against: the commit `relative` starts from;
 * undefined: the first. */
export function drawnSeries(
  series: readonly Series[],
  shas: readonly string[],
  unit: string,
  scale: Scale,
  against: string | undefined,
): { series: Series[]; unit: string } {
  if (scale !== "relative") return { series: [...series], unit };
  const place = against ? shas.findIndex((sha) => sha.startsWith(against)) : 0;
  return { series: relativeTo(series, Math.max(place, 0)), unit: PERCENT };
}

/** A value as a chart's tip and table show it. */
export function valueText(value: number | null | undefined, unit: string): string {
  if (unit !== PERCENT || value == null) return figure(value, unit);
  return change(ratio(1 + value / 100));
}

/** The place of a run in its line, and the line: the first of the lines that has one at this commit. */
export function runAt<T extends LineLike>(
  lines: readonly T[],
  place: number,
): { line: T; index: number } | null {
  for (const line of lines) {
    const index = line.at.indexOf(place);
    if (index >= 0) return { line, index };
  }
  return null;
}

const MARKED = new Set(["regressed", "improved", "feature", "broken"]);

/** Marks of verdicts that say the commit did something, and of releases; one of a kind at a commit. */
export function lineMarks(lines: readonly LineLike[], releases: readonly { at: number }[]): Mark[] {
  const found = lines.flatMap((line) =>
    line.at.flatMap((index, run) => {
      const display = line.display[run] ?? "";
      return MARKED.has(display) ? [{ index, display }] : [];
    }),
  );
  const tagged = releases.map(({ at }) => ({ index: at, display: "release" }));
  return [...new Map([...found, ...tagged].map((mark) => [`${mark.index} ${mark.display}`, mark])).values()];
}

/** A series' values as rows of a file, oldest commit first. */
export function rowsOf(
  commits: {
    sha: readonly string[];
    committed_at: readonly (string | null)[];
    subject: readonly (string | null)[];
  },
  series: readonly Series[],
  unit: string,
): Row[] {
  const head = series.flatMap(({ stage }) => [`${stage} [${unit}]`, `${stage} low`, `${stage} high`]);
  const body = commits.sha.map((sha, place): Row => {
    const figures = series.flatMap((one) => [one.value[place], one.low[place], one.high[place]]);
    return [sha, commits.committed_at[place], commits.subject[place], ...figures];
  });
  return [["commit", "committed_at", "subject", ...head], ...body];
}
