// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";

interface Props {
  label: string;
  className?: string;
  children: ReactNode;
}

/** A table that scrolls sideways in itself, its first column staying in sight. */
export function ScrollTable({ label, className = "", children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroll-x" tabIndex={0} aria-label={label}>
      <table className={`table pinned ${className}`}>{children}</table>
    </section>
  );
}
