// SPDX-License-Identifier: Apache-2.0
import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import { flushSync } from "react-dom";

/** Prints a page in light colours: browsers leave out dark grounds, and light letters on paper cannot be read. */
export function usePrintedLight(): void {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  const latest = useRef({ colorScheme, dark });
  latest.current = { colorScheme, dark };
  const chosen = useRef<typeof colorScheme | null>(null);
  useEffect(() => {
    const before = (): void => {
      if (!latest.current.dark) return;
      chosen.current = latest.current.colorScheme;
      flushSync(() => setColorScheme("light"));
    };
    const after = (): void => {
      if (chosen.current !== null) setColorScheme(chosen.current);
      chosen.current = null;
    };
    window.addEventListener("beforeprint", before);
    window.addEventListener("afterprint", after);
    return () => {
      window.removeEventListener("beforeprint", before);
      window.removeEventListener("afterprint", after);
    };
  }, [setColorScheme]);
}
