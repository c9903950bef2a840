// SPDX-License-Identifier: Apache-2.0
/** What a panel of the history shows, and what its chart and its table draw. */
import type { LinesFilter } from "../../shared/api/queries";
import type { Alert } from "../../shared/api/types";
import type { Scale } from "../../shared/logic/charts/history";
import type { Series } from "./chartLines";
import type { ValuesKind } from "./search";
import type { CommitSpans } from "./spans";
import type { HistoryLines } from "./unpack";

export interface HistoryPanelProps {
  project: string;
  metric: string;
  /** All metrics of the page: they come in one answer. */
  metrics: readonly string[];
  requested: LinesFilter;
  /** All stages, chain first: of one line they fix the colours. */
  stages: readonly string[];
  shown: readonly string[];
  alerts: readonly Alert[];
  scale: Scale;
  /** Commits stand at their dates; else side by side. */
  dated: boolean;
  values: ValuesKind;
  /** What `relative` is against; undefined: the first commit. */
  against: string | undefined;
  asTable: boolean;
  /** Of the table, from 1. */
  page: number;
  onPage: (page: number) => void;
  /** The only chart of the page may be larger. */
  alone: boolean;
  spans: CommitSpans;
}

export interface DrawnProps extends HistoryPanelProps {
  lines: HistoryLines;
  /** As the scale has them. */
  series: Series[];
  /** Of their values. */
  unit: string;
}
