// SPDX-License-Identifier: Apache-2.0
import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from "react";

const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled)";

/** Properties of an element that keeps the focus. */
export interface KeptFocus<E extends HTMLElement> {
  ref: RefObject<E | null>;
  onFocus: (event: FocusEvent) => void;
  onBlur: (event: FocusEvent) => void;
}

/**
 * Keeps the focus within an element while what has it is replaced, removed, or disabled for a time: otherwise the
 * keyboard begins at the top of the page again. If nothing else within can have it, the element itself gets it, which
 * needs a `tabIndex` for that.
 */
export function useKeptFocus<E extends HTMLElement>(): KeptFocus<E> {
  const ref = useRef<E>(null);
  const last = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const had = last.current;
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (had === null || !lost) return;
    const next = had.isConnected ? had : (ref.current?.querySelector(FOCUSABLE) ?? ref.current);
    if (next instanceof HTMLElement && !next.matches(":disabled")) next.focus();
  });
  return {
    ref,
    onFocus: (event) => {
      last.current = event.target;
    },
    // Chromium tells of a button that is disabled, too; nobody went elsewhere then.
    onBlur: ({ target }) => {
      if (target.isConnected && !target.matches(":disabled")) last.current = null;
    },
  };
}
