// SPDX-License-Identifier: Apache-2.0
import type { Explanation } from "../../shared/api/types";

export type Evidence = NonNullable<Explanation["evidence"]>[number];

const size = ({ before, after }: Pick<Evidence, "before" | "after">): number => {
  if (before === null || after === null) return -1;
  if (before <= 0 || after <= 0) return before === after ? 0 : Number.POSITIVE_INFINITY;
  return Math.abs(Math.log(after / before));
};

/** The quantity that changed most first, by its ratio; what was not counted on one side last. */
export const byChange = <T extends Pick<Evidence, "before" | "after">>(evidence: readonly T[]): T[] =>
  [...evidence].sort((one, other) => size(other) - size(one));
