// SPDX-License-Identifier: Apache-2.0
/**
 * Which commits are shown. While one zooms, charts follow this store by themselves and React renders only the count:
 * rendering four panels at every turn of the wheel would take longer than drawing them.
 */
import type { Spans } from "../../shared/charts/spans";
import { between, lengthOf, type Span, wholeOf } from "../../shared/logic/charts/thin";

/** The commits shown, by sha: they stay the same while new ones come. Undefined: all. */
export interface CommitSpan {
  from?: string | undefined;
  to?: string | undefined;
}

export interface CommitSpans {
  get: () => CommitSpan;
  set: (span: CommitSpan) => void;
  /** As the address has it, which somebody may have changed. */
  follow: (address: CommitSpan) => void;
  subscribe: (onChange: () => void) => () => void;
}

/** The address follows when zooming rests for so long. Milliseconds. */
const REST_MS = 250;

const keyOf = ({ from, to }: CommitSpan): string => `${from}..${to}`;

/** What is shown, ahead of the address, which keeps it. */
export function commitSpans(first: CommitSpan, write: (span: CommitSpan) => void): CommitSpans {
  let shown = first;
  let written = keyOf(first);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const show = (span: CommitSpan): void => {
    shown = span;
    for (const listener of listeners) listener();
  };
  return {
    get: () => shown,
    set: (span) => {
      show(span);
      clearTimeout(timer);
      timer = setTimeout(() => {
        written = keyOf(span);
        write(span);
      }, REST_MS);
    },
    follow: (address) => {
      if (keyOf(address) === written) return;
      written = keyOf(address);
      clearTimeout(timer);
      show(address);
    },
    subscribe: (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
  };
}

const SHORT = 10;

/** The same as places in the list at hand; what the list does not have ends at the list's end. */
export function indexSpans(shas: readonly string[], commits: CommitSpans): Spans {
  const places = new Map(shas.map((sha, place) => [sha.slice(0, SHORT), place]));
  const placeOf = (sha: string): number =>
    sha.length === SHORT ? (places.get(sha) ?? -1) : shas.findIndex((one) => one.startsWith(sha));
  const placed = ({ from, to }: CommitSpan): Span => {
    const whole = wholeOf(shas.length);
    const [first, last] = [from, to].map((sha) => (sha === undefined ? -1 : placeOf(sha)));
    if (shas.length === 0) return whole;
    return between(
      first === undefined || first < 0 ? whole.from : first,
      last === undefined || last < 0 ? whole.to : last,
      shas.length,
    );
  };
  let of: CommitSpan | undefined;
  let span = wholeOf(shas.length);
  return {
    get: () => {
      const now = commits.get();
      if (now !== of) [of, span] = [now, placed(now)];
      return span;
    },
    set: (next) => {
      const whole = lengthOf(next) >= shas.length;
      commits.set(
        whole ? {} : { from: shas[next.from]?.slice(0, SHORT), to: shas[next.to]?.slice(0, SHORT) },
      );
    },
    subscribe: commits.subscribe,
  };
}
