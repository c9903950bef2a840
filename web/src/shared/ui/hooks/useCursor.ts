// SPDX-License-Identifier: Apache-2.0
import { useState } from "react";
import { moved } from "../../logic/keyboard";

/** The row of a list that the keys act on, kept by its name: rows that come above it do not change which it is. */
export function useCursor<T>(order: readonly T[]) {
  const [last, setLast] = useState<{ name: T; place: number } | null>(null);
  const at = last === null ? -1 : order.indexOf(last.name);
  // The row after one that left has its place.
  const before = (by: 1 | -1): number =>
    last === null || at >= 0 ? at : by === 1 ? last.place - 1 : last.place;
  return {
    /** Undefined: none yet, or it left the list. */
    current: order[at],
    next: (by: 1 | -1): T | undefined => order[moved(before(by), by, order.length)],
    set: (name: T): void => setLast({ name, place: order.indexOf(name) }),
  };
}
