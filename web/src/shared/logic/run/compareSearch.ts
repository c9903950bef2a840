// SPDX-License-Identifier: Apache-2.0
/** The address of a comparison: parts of it are shown by other pages too. */
import * as v from "valibot";
import { OVER_LOAD } from "../charts/loadCurves";
import { matching, oneOf, text } from "../search";

export const AXES = ["commit", "host", "model", "features"] as const;
/** What the two sides differ in. */
export type Axis = (typeof AXES)[number];

export const compareSearch = v.object({
  /** Revisions: commits, tags or branches; base is head where the axis is another than the commit. */
  base: text,
  head: text,
  /** Head's, and base's where base has none of its own. */
  scenario: text,
  base_scenario: text,
  base_host: text,
  head_host: text,
  /** Commits without it. */
  by: oneOf(["host", "model", "features"]),
  /** How rounds are drawn; ratios without it. */
  rounds: oneOf(["cpp"]),
  /** Which cost flame graph and source have; without it that of the verdict's cause. */
  cost: oneOf(["cycles", "instructions"]),
  /** The frame it is zoomed to: places among siblings, joined by dots. */
  at: text,
  /** Which figure of a sweep is drawn, and of which stage; CPP of the chain without them. */
  over: oneOf(OVER_LOAD),
  stage: text,
  /** The function whose lines are open: stage and name, joined by a slash; `-`: none. */
  fn: text,
  /** The line of head that is pointed out. */
  line: matching(/^[1-9]\d{0,6}$/),
  /** Whether lines of it that are the same on both sides are shown too; folded without it. */
  lines: oneOf(["all"]),
});
export type CompareSearch = v.InferInput<typeof compareSearch>;

/** The cost that explains a verdict: cycles where the pipeline is the cause, else instructions. */
export const costOfCause = (cause: string | null | undefined): "cycles" | "instructions" =>
  cause === "pipeline" ? "cycles" : "instructions";
