// SPDX-License-Identifier: Apache-2.0
import type { LinesFilter } from "../../shared/api/queries";
import { useHistoryLines } from "./api";
import type { ValuesKind } from "./search";

const VALUE_NOTES: Record<ValuesKind, string> = {
  linked:
    "Values follow from comparisons side by side, in the unit of the newest host and compiler: drift and changes of hosts cancel. A commit whose own run has no value has one if it was compared in other runs. Bands: 95 % intervals of the difference to the newest commit.",
  same_features:
    "As shipped, without the prices of features added since the first commit shown. Bands: 95 % intervals of the difference to the newest commit.",
  measured:
    "Values of separate runs: they drift with the host, so a line may fall where a verdict says regressed. Bands: intervals of the rounds.",
};
const UNLINKED =
  "No comparison links these commits yet, so values are those of separate runs: cycles drift with the host. Bands: intervals of the rounds.";

interface Props {
  project: string;
  metrics: readonly string[];
  requested: LinesFilter;
  values: ValuesKind;
}

/** What the values of the charts are: without links, other ones than those asked for. */
export function ValueNote({ project, metrics, requested, values }: Props) {
  const { data } = useHistoryLines(project, metrics[0] ?? "cpp", metrics, requested, values);
  const series = data?.lines.flatMap((line) => line.stages) ?? [];
  const unlinked = values !== "measured" && series.length > 0 && !series.some((one) => one.linked);
  return <span className="soft">{unlinked ? UNLINKED : VALUE_NOTES[values]}</span>;
}
