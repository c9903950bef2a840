// SPDX-License-Identifier: Apache-2.0
import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from "react";

const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled)";

/** Properties of an element that keeps the focus. */
export interface KeptFocus<E extends HTMLElement> {
  ref: RefObject<E | null>;
  onFocus: (event: FocusEvent) => void;
  onBlur: () => void;
}

/**
 * Keeps the focus within an element while what has it is replaced, or disabled for a time: the keyboard would begin at
 * the top of the page again.
 */
export function useKeptFocus<E extends HTMLElement>(): KeptFocus<E> {
  const ref = useRef<E>(null);
  const last = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const had = last.current;
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (had === null || !lost) return;
    const next = had.isConnected ? had : ref.current?.querySelector(FOCUSABLE);
    if (next instanceof HTMLElement && !next.matches(":disabled")) next.focus();
  });
  return {
    ref,
    onFocus: (event) => {
      last.current = event.target;
    },
    // React tells of those that a person causes, not of an element that leaves the page.
    onBlur: () => {
      last.current = null;
    },
  };
}
