// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from "react";
import { isCommand } from "../../logic/keyboard";

/** Calls the handler of a pressed key, unless somebody is typing or a dialog is open. */
export function useKeys(handlers: Record<string, () => unknown>): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const handler = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (handler === undefined || event.defaultPrevented || !isCommand(event)) return;
      if (event.target instanceof Element && event.target.closest('[role="dialog"]')) return;
      event.preventDefault();
      handler();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
