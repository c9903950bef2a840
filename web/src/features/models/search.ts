// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { matching, oneOf, text } from "../../shared/logic/search";

/** Without a commit, the furthest measured one. */
export const modelsSearch = v.object({ commit: text });

/** Packets in flight that can be chosen. */
export const FLIGHTS = ["128", "256", "512", "1024", "2048"] as const;

const NUMBER = matching(/^\d{1,9}(\.\d{1,6})?$/);

/** Without a run, the first of the newest measured commit; without figures, those of `defaults`. */
export const predictedSearch = v.object({
  run: matching(/^[0-9a-f]{32}$/),
  mpps: NUMBER,
  lcores: NUMBER,
  queue: NUMBER,
  batch: NUMBER,
  poll: NUMBER,
  chip: oneOf(["npu", "cpu"]),
  flight: oneOf(FLIGHTS),
  designs: text,
  packets: NUMBER,
});
export type PredictedSearch = v.InferOutput<typeof predictedSearch>;
