// SPDX-License-Identifier: Apache-2.0
/** Pairs looked at before in this browser. */
import { useLocalStorage } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { type CompareSearch, compareSearch } from "../logic/search";
import { pairText, withPair } from "../logic/sides";

/** What storage has, made sure of: it may be an older page's. */
const read = (text: string | undefined): CompareSearch[] => {
  try {
    const kept: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(kept) ? kept.map((one) => compareSearch(Object(one))) : [];
  } catch {
    return [];
  }
};

export function useRecentPairs(project: string, shown: CompareSearch): CompareSearch[] {
  const [pairs, setPairs] = useLocalStorage<CompareSearch[]>({
    key: `nalm.pairs.${project}`,
    defaultValue: [],
    deserialize: read,
  });
  const text = pairText(shown);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another pair is a reason to write
  useEffect(() => {
    if (text !== "") setPairs((old) => withPair(old, shown));
  }, [text]);
  return pairs.filter((one) => pairText(one) !== text);
}

export function RecentPairs({ project, pairs }: { project: string; pairs: readonly CompareSearch[] }) {
  if (pairs.length === 0) return null;
  return (
    <nav aria-label="Pairs looked at before in this browser" className="recent">
      <span className="soft small">Looked at before</span>
      {pairs.map((one) => (
        <Link key={pairText(one)} className="tag" to="/p/$project/compare" params={{ project }} search={one}>
          {pairText(one)}
        </Link>
      ))}
    </nav>
  );
}
