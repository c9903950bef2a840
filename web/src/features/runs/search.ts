// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { OVER_LOAD } from "../../shared/logic/charts/loadCurves";
import { FIGURES } from "../../shared/logic/code/codeRows";
import { matching, oneOf, text } from "../../shared/logic/search";

export const runSearch = v.object({
  rounds: oneOf(["cpp"]),
  /** Whose code is shown: without it functions, else lines of that side. */
  code: oneOf(["head", "base"]),
  q: text,
  sort: oneOf(["name", ...Object.keys(FIGURES)]),
  order: oneOf(["up"]),
  /** Which figure of a sweep is drawn, and of which stage; CPP of the chain without them. */
  over: oneOf(OVER_LOAD),
  stage: text,
  /** The function whose lines are open, and which of them, as in a comparison. */
  fn: text,
  line: matching(/^[1-9]\d{0,6}$/),
  lines: oneOf(["all"]),
});
export type RunSearch = v.InferInput<typeof runSearch>;
