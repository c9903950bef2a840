// SPDX-License-Identifier: Apache-2.0
import type { LinesFilter } from "../../shared/api/queries";
import { ValueNote } from "../../shared/ui/ValueNote";
import { useHistoryLines } from "./api";
import type { ValuesKind } from "./search";
import type { HistoryLines } from "./unpack";

/** Whether no comparison is behind any value. */
export function unlinked({ lines }: HistoryLines): boolean {
  const series = lines.flatMap((line) => line.stages);
  return series.length > 0 && !series.some((one) => one.linked);
}

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
  return <ValueNote of={data && unlinked(data) ? "unlinked" : metric === "ncpp" ? "ncpp" : values} />;
}
