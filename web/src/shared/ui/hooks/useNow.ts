// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "react";

const TICK_MS = 30_000;

/** The present in milliseconds, renewed often enough for "3 minutes ago". */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
