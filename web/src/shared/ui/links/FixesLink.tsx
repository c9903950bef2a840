// SPDX-License-Identifier: Apache-2.0
/** The regression that an improvement takes back, and what remains of it, as a link to its comparison. Nothing when it fixes none. */
import { Link } from "@tanstack/react-router";
import type { VerdictBrief } from "../../api/types";
import { fixWords } from "../../logic/alerts";
import { shortSha } from "../../logic/text/format";
import { Icon } from "../Icon";

interface Props {
  project: string;
  verdict: Pick<VerdictBrief, "fixes_sha" | "recovery" | "scenario">;
  className: string;
}

export function FixesLink({ project, verdict, className }: Props) {
  if (!verdict.fixes_sha) return null;
  return (
    <Link
      className={className}
      to="/p/$project/compare"
      params={{ project }}
      search={{ head: verdict.fixes_sha, scenario: verdict.scenario }}
    >
      <Icon name="fix" size={12} />
      <span>
        undoes <span className="mono">{shortSha(verdict.fixes_sha)}</span>,{" "}
        {fixWords(verdict.recovery ?? null)}
      </span>
    </Link>
  );
}
