// SPDX-License-Identifier: Apache-2.0
/** Recent comparisons in this browser. */
import { useLocalStorage } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import * as v from "valibot";
import { type CompareSearch, compareSearch } from "../../shared/logic/run/compareSearch";
import { pairText, withPair } from "../../shared/logic/run/sides";

/** What storage has, made sure of: it may be an older page's. */
const read = (text: string | undefined): CompareSearch[] => {
  try {
    const kept: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(kept) ? kept.map((one) => v.parse(compareSearch, Object(one))) : [];
  } catch {
    return [];
  }
};

const usePairs = (project: string) =>
  useLocalStorage<CompareSearch[]>({ key: `nalm.pairs.${project}`, defaultValue: [], deserialize: read });

/** Of a pair whose comparison is there: what cannot be compared is no place to return to. */
export function useRemembered(project: string, shown: CompareSearch): void {
  const [, setPairs] = usePairs(project);
  const text = pairText(shown);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another pair is a reason to write
  useEffect(() => {
    if (text !== "") setPairs((old) => withPair(old, shown));
  }, [text]);
}

export function RecentPairs({ project, shown }: { project: string; shown: CompareSearch }) {
  const text = pairText(shown);
  const pairs = usePairs(project)[0].filter((one) => pairText(one) !== text);
  if (pairs.length === 0) return null;
  return (
    <nav aria-label="Recent comparisons in this browser" className="recent">
      <span className="soft small">Recent</span>
      {pairs.map((one) => (
        <Link key={pairText(one)} className="tag" to="/p/$project/compare" params={{ project }} search={one}>
          {pairText(one)}
        </Link>
      ))}
    </nav>
  );
}
