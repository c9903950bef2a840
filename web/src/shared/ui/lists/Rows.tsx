// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { useKeptFocus } from "../hooks/useKeptFocus";

/** A list whose rows have buttons, some of which remove their row: the focus then stays in the list. */
export function Rows({ children }: { children: ReactNode }) {
  return (
    <ul className="rows" {...useKeptFocus<HTMLUListElement>()} tabIndex={-1}>
      {children}
    </ul>
  );
}
