// SPDX-License-Identifier: Apache-2.0
import { useState } from "react";
import { momentOf } from "../../shared/logic/overview";

/** A browser keeps it for each address by itself, so that each server has its own. */
const KEY = "nalm.seen";

export interface Seen {
  /** Up to when all was seen; null: never marked here. */
  at: string | null;
  /** What it was before this visit's last mark; undefined: nothing was marked. */
  before: string | null | undefined;
  mark: (at: string) => void;
  takeBack: () => void;
}

/** Up to when this browser's reader has seen what changed. Where nothing may be kept, it holds for the visit. */
export function useLastVisit(): Seen {
  const [at, setAt] = useState(() => momentOf(read()));
  const [before, setBefore] = useState<string | null>();
  const keep = (moment: string | null): void => {
    write(moment);
    setAt(moment);
  };
  return {
    at,
    before,
    mark: (moment) => {
      setBefore(at);
      keep(moment);
    },
    takeBack: () => {
      keep(before ?? null);
      setBefore(undefined);
    },
  };
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function write(moment: string | null): void {
  try {
    if (moment === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, moment);
  } catch {
    // A browser that keeps nothing still shows what is marked until the page is left.
  }
}
