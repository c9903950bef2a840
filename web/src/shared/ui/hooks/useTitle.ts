// SPDX-License-Identifier: Apache-2.0
import { useEffect } from "react";

/** Title of the browser's tab: "Commits, acme · nalm". */
export function useTitle(...parts: string[]): void {
  const title = [parts.join(", "), "nalm"].filter(Boolean).join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
