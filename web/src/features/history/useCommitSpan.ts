// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from "react";

/** The commits shown, by sha: they stay the same while new ones come. Undefined: all. */
export interface CommitSpan {
  from?: string | undefined;
  to?: string | undefined;
}

/** The address follows when zooming rests for so long. Milliseconds. */
const REST_MS = 250;

const keyOf = ({ from, to }: CommitSpan): string => `${from}..${to}`;

/** What is shown while one zooms, ahead of the address, which keeps it. */
export function useCommitSpan(
  address: CommitSpan,
  write: (span: CommitSpan) => void,
): [CommitSpan, (span: CommitSpan) => void] {
  const { from, to } = address;
  const [shown, setShown] = useState<CommitSpan>({ from, to });
  const written = useRef(keyOf(address));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (keyOf({ from, to }) === written.current) return;
    written.current = keyOf({ from, to });
    setShown({ from, to });
  }, [from, to]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = (span: CommitSpan): void => {
    setShown(span);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      written.current = keyOf(span);
      write(span);
    }, REST_MS);
  };
  return [shown, show];
}
