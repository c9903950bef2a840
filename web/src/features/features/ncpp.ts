// SPDX-License-Identifier: Apache-2.0
/** NCPP's lines and points, as a chart and a table want them. */
import type { Columns } from "../../shared/logic/charts/history";
import { CHAIN } from "../../shared/logic/charts/palette";

/** As efficient as the reference. */
export const LEVEL = 1;

interface PointLike {
  ncpp?: number | null;
  low?: number | null;
  high?: number | null;
}
interface LineLike {
  scenario: string;
  host_class: string;
  points: readonly PointLike[];
}

export const lineName = ({ scenario, host_class }: Omit<LineLike, "points">): string =>
  `${scenario} on ${host_class}`;

/** Some follow from comparisons; the others are then named as measured. */
export const someLinked = (points: readonly { linked: boolean }[]): boolean =>
  points.some((point) => point.linked);

/** Of a value among linked ones. */
export const AS_MEASURED = "as measured";

const known = (line: LineLike): number => line.points.filter((point) => point.ncpp != null).length;

/** The line of the address; else the one of which most is known. */
export function currentLine<T extends LineLike>(
  lines: readonly T[],
  scenario: string | undefined,
  hostClass: string | undefined,
): T | undefined {
  const requested = lines.filter(
    (line) =>
      (scenario === undefined || line.scenario === scenario) &&
      (hostClass === undefined || line.host_class === hostClass),
  );
  return [...(requested.length > 0 ? requested : lines)].sort((a, b) => known(b) - known(a))[0];
}

/** One line with its band; points without NCPP are gaps. */
export function ncppColumns(points: readonly PointLike[]): Columns {
  const values = points.map((point) => point.ncpp ?? null);
  return {
    x: points.map((_, index) => index),
    stages: [
      {
        stage: CHAIN,
        value: values,
        low: points.map((point, index) => point.low ?? values[index] ?? null),
        high: points.map((point, index) => point.high ?? values[index] ?? null),
      },
    ],
  };
}
