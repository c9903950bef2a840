// SPDX-License-Identifier: Apache-2.0
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { isAway, onReach } from "../shared/api/connection";
import { Icon } from "../shared/ui/Icon";

/** Says that the server does not answer, for as long as that is so; then everything shown is read again. */
export function ConnectionLine() {
  const queries = useQueryClient();
  const away = useSyncExternalStore(onReach, isAway);
  const before = useRef(away);
  useEffect(() => {
    if (before.current && !away) queries.invalidateQueries();
    before.current = away;
  }, [away, queries]);
  return (
    <div role="status">
      {away && (
        <p className="away">
          <Icon name="invalid" /> The server is not responding. The data shown may be out of date. The page
          retries every few seconds.
        </p>
      )}
    </div>
  );
}
