// SPDX-License-Identifier: Apache-2.0
import type { LinesFilter } from "../../shared/api/queries";
import { ValueNote } from "../../shared/ui/ValueNote";
import { useHistoryLines } from "./api";
import type { ValuesKind } from "./search";

interface Props {
  project: string;
  metrics: readonly string[];
  requested: LinesFilter;
  values: ValuesKind;
}

/** What the values of the charts are: without links, other ones than those asked for. */
export function LinesNote({ project, metrics, requested, values }: Props) {
  const metric = metrics[0] ?? "cpp";
  const { data } = useHistoryLines(project, metric, metrics, requested, values);
  if (values === "measured") return <ValueNote of={values} />;
  const series = data?.lines.flatMap((line) => line.stages) ?? [];
  const unlinked = series.length > 0 && !series.some((one) => one.linked);
  return <ValueNote of={unlinked ? "unlinked" : metric === "ncpp" ? "ncpp" : values} />;
}
