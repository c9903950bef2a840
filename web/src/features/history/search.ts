// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { functionsOf, functionsText } from "../../shared/logic/code/functions";
import {
  commit,
  LONGEST,
  listOf,
  matching,
  NO_STAGES,
  oneOf,
  readAs,
  text,
  view,
} from "../../shared/logic/search";

/** Levels from comparisons, the same without prices of features, or each run's own values. */
export const VALUES = ["linked", "same_features", "measured"] as const;
export type ValuesKind = (typeof VALUES)[number];

export const SCALES = ["absolute", "relative", "log"] as const;

export const AXES = ["commits", "dates"] as const;

export const historySearch = v.object({
  /** Scenarios joined by commas; without it the main one. */
  scenario: listOf(),
  /** Branches joined by commas; without it the default branch. */
  branch: listOf(),
  /** One metric; without it the main ones are shown. */
  metric: matching(/^[a-z][a-z0-9_]*$/),
  /** Stages joined by commas; without it all are shown, of several scenarios or branches the chain. */
  stages: listOf(),
  /** C functions shown as well, `stage>function` joined by semicolons. */
  functions: readAs((value) => functionsText(functionsOf(value))),
  host_class: text,
  scale: oneOf(SCALES),
  /** Where commits stand; without it side by side. */
  axis: oneOf(AXES),
  /** Without it, linked. */
  values: oneOf(VALUES),
  /** What `relative` is against: a commit; without it the first. */
  against: commit,
  /** First and last commit shown; without them all. */
  from: commit,
  to: commit,
  /** As many commits as there can be, not only the newest thousand. */
  last: oneOf([LONGEST]),
  view,
  /** Of the table, from 1. */
  page: matching(/^[1-9]\d{0,4}$/),
});
export type HistorySearch = v.InferInput<typeof historySearch>;

/**
 * The change that shows these functions. The first one stands alone, since beside the chain its line would lie on the
 * axis; without any, stages are shown again.
 */
export const withFunctions = (
  { stages, functions }: HistorySearch,
  keys: readonly string[],
): HistorySearch => ({
  functions: functionsText(keys),
  ...(keys.length > 0 && functions === undefined && stages === undefined ? { stages: NO_STAGES } : {}),
  ...(keys.length === 0 && stages === NO_STAGES ? { stages: undefined } : {}),
});
