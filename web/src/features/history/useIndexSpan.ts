// SPDX-License-Identifier: Apache-2.0
import { useMemo } from "react";
import { between, lengthOf, type Span, wholeOf } from "../../shared/logic/charts/thin";
import type { CommitSpan } from "./useCommitSpan";

/** A span of commits as places in the list at hand; what the list does not have ends at the list's end. */
export function useIndexSpan(
  shas: readonly string[],
  { from, to }: CommitSpan,
  onSpan: (span: CommitSpan) => void,
): [Span, (span: Span) => void] {
  const span = useMemo(() => {
    const place = (sha: string | undefined, otherwise: number): number => {
      const found = sha === undefined ? -1 : placeOf(shas, sha);
      return found < 0 ? otherwise : found;
    };
    const whole = wholeOf(shas.length);
    return shas.length === 0 ? whole : between(place(from, whole.from), place(to, whole.to), shas.length);
  }, [shas, from, to]);
  const change = (next: Span): void => {
    const whole = lengthOf(next) >= shas.length;
    onSpan(whole ? {} : { from: shas[next.from]?.slice(0, SHORT), to: shas[next.to]?.slice(0, SHORT) });
  };
  return [span, change];
}

const SHORT = 10;

const known = new WeakMap<readonly string[], Map<string, number>>();

/** Asked for at every turn of the wheel by every chart: a long list is not searched each time. */
function placeOf(shas: readonly string[], sha: string): number {
  if (sha.length !== SHORT) return shas.findIndex((one) => one.startsWith(sha));
  const places = known.get(shas) ?? new Map(shas.map((one, place) => [one.slice(0, SHORT), place]));
  known.set(shas, places);
  return places.get(sha) ?? -1;
}
