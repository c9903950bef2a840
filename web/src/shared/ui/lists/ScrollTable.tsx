// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";

interface Props {
  label: string;
  className?: string;
  /** It scrolls downwards too, its heads staying in sight. */
  tall?: boolean;
  children: ReactNode;
}

/** A table that scrolls sideways in itself, its first column staying in sight. */
export function ScrollTable({ label, className = "", tall = false, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={tall ? "scroll-x tall-table" : "scroll-x"} tabIndex={0} aria-label={label}>
      <table className={`table pinned ${className}`}>{children}</table>
    </section>
  );
}
