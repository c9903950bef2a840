// SPDX-License-Identifier: Apache-2.0
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { isAway, onReach } from "../shared/api/connection";
import { Icon } from "../shared/ui/Icon";

/** Says that the server does not answer, for as long as that is so; then everything shown is read anew. */
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
          <Icon name="invalid" /> The server does not answer: what is shown may be old. It is asked again
          every few seconds.
        </p>
      )}
    </div>
  );
}
