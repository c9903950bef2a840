// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { projectMetricsQuery } from "../../api/queries";
import type { Metric } from "../../api/types";

const NONE: readonly Metric[] = [];

/** The catalogue's metrics, and those of the project's nalm.toml; none until they are there. */
export function useMetrics(project: string): readonly Metric[] {
  return useQuery(projectMetricsQuery(project)).data ?? NONE;
}

/** Their titles, by name. */
export function useMetricTitles(project: string): ReadonlyMap<string, string> {
  const metrics = useMetrics(project);
  return useMemo(() => new Map(metrics.map((one) => [one.name, one.title])), [metrics]);
}
