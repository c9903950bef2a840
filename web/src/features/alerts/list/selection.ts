// SPDX-License-Identifier: Apache-2.0
/** The choice of several rows of a list. */

/**
 * After a click on `id`: it is flipped; from another row, everything between the two becomes as the clicked one does.
 */
export function withRange(
  chosen: ReadonlySet<number>,
  order: readonly number[],
  id: number,
  from: number | null,
): Set<number> {
  const next = new Set(chosen);
  const [start, end] = [order.indexOf(from ?? id), order.indexOf(id)].sort((a, b) => a - b);
  const span = start === undefined || start < 0 ? [id] : order.slice(start, (end ?? start) + 1);
  const on = !chosen.has(id);
  for (const one of span) {
    if (on) next.add(one);
    else next.delete(one);
  }
  return next;
}
