// SPDX-License-Identifier: Apache-2.0
/** How runs on a host scatter, over time: one line per scenario, for the chart. */

import type { Columns } from "../../shared/logic/charts/history";
import type { Row } from "../../shared/logic/text/csv";

interface PointLike {
  project: string;
  scenario: string;
  width: number;
}

/** Scenarios of several projects may have one name. */
export const sightName = (one: { project: string; scenario: string }): string =>
  `${one.project}: ${one.scenario}`;

interface RunLike extends PointLike {
  at: string;
  launches: number;
  run_id: string;
}

/** The chart's table, one row per run. */
export const noiseRows = (points: readonly RunLike[]): Row[] => [
  ["time", "project", "scenario", "half_width_percent", "launches", "run"],
  ...points.map((one) => [one.at, one.project, one.scenario, one.width * 100, one.launches, one.run_id]),
];

/** Per cent; a line holds the value of its last run, and begins with its first. */
export function noiseColumns(points: readonly PointLike[]): Columns {
  const names = [...new Set(points.map(sightName))].sort();
  const joined = names.map((name) => {
    let last: number | null = null;
    return points.map((point) => {
      if (sightName(point) === name) last = point.width * 100;
      return last;
    });
  });
  return {
    x: points.map((_, index) => index),
    stages: names.map((stage, index) => {
      const value = joined[index] ?? [];
      return { stage, value, low: value, high: value };
    }),
  };
}
