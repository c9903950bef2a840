// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { REASONS } from "../../shared/logic/queue";
import { listOf, oneOf, text } from "../../shared/logic/search";

export const queueSearch = v.object({ project: text, reason: listOf(REASONS) });

export const measureSearch = v.object({
  kind: oneOf(["one", "backfill", "bisect"]),
  head: text,
  good: text,
  bad: text,
  scenario: text,
  metric: text,
});
export type MeasureSearch = v.InferInput<typeof measureSearch>;
