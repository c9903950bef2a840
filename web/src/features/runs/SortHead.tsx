// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";

export interface Sorting {
  by: string | undefined;
  up: boolean;
  onSort: (by: string | undefined, up: boolean) => void;
}

interface Props extends Sorting {
  name: string;
  left?: boolean;
  children: ReactNode;
}

/** A column's head that puts the table in order: once, the other way round, and back. */
export function SortHead({ name, left, by, up, onSort, children }: Props) {
  const active = by === name;
  const figures = !left;
  const falling = active && up !== figures;
  const next = (): void => (active && up ? onSort(undefined, false) : onSort(name, active));
  return (
    <th
      className={left ? "left" : undefined}
      aria-sort={active ? (falling ? "descending" : "ascending") : "none"}
    >
      <button type="button" className="sort-button" onClick={next}>
        {children}
        <span aria-hidden="true" className="sort-mark">
          {active ? (falling ? "▼" : "▲") : "↕"}
        </span>
      </button>
    </th>
  );
}
