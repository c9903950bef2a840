// SPDX-License-Identifier: Apache-2.0
/** Backfills and bisections of a project, newest first. */
import { Link } from "@tanstack/react-router";
import type { Backfill, Bisect } from "../../shared/api/types";
import { counted } from "../../shared/logic/overview";
import { figureText } from "../../shared/logic/queue";
import { ago, shortSha } from "../../shared/logic/text/format";
import { useMetricTitles } from "../../shared/ui/hooks/useMetrics";
import { useNow } from "../../shared/ui/hooks/useNow";
import { percentDone, searchStateWord } from "./campaigns";

export function BackfillList({ backfills }: { backfills: readonly Backfill[] }) {
  const now = useNow();
  if (backfills.length === 0) return <p className="soft">None yet.</p>;
  return (
    <ul className="rows">
      {backfills.map((one) => (
        <li key={one.id} className="row">
          <span className="row-main">
            <Link to="/p/$project/backfills/$id" params={{ project: one.project, id: String(one.id) }}>
              Backfill {one.id}
            </Link>
            <span className="below">
              {searchStateWord(one.state)}
              {one.progress.total > 0 &&
                `, ${percentDone(one.progress)} % of ${counted(one.progress.total, "commit")}`}
              {` · by ${one.requested_by}, ${ago(one.created_at, now)}`}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

export function BisectList({ project, bisects }: { project: string; bisects: readonly Bisect[] }) {
  const now = useNow();
  const titles = useMetricTitles(project);
  if (bisects.length === 0) return <p className="soft">None yet.</p>;
  return (
    <ul className="rows">
      {bisects.map((one) => (
        <li key={one.id} className="row">
          <span className="row-main">
            <Link to="/p/$project/bisections/$id" params={{ project: one.project, id: String(one.id) }}>
              Bisection {one.id}, {figureText(one, titles)}
            </Link>
            <span className="below">
              {searchStateWord(one.state)}
              {one.state === "found" && one.high_sha && `: ${shortSha(one.high_sha)}`} · by {one.requested_by}
              , {ago(one.created_at, now)}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}
