// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from "react";

/** Brought into sight when a function is opened, not when the page is. */
export function useScrollToOpened(key: string | undefined) {
  const place = useRef<HTMLDivElement>(null);
  const was = useRef(key);
  useEffect(() => {
    if (key !== undefined && was.current !== key) place.current?.scrollIntoView({ block: "start" });
    was.current = key;
  }, [key]);
  return place;
}
