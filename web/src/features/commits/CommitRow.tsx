// SPDX-License-Identifier: Apache-2.0
/** One commit in the list: its verdicts, how much it changed, where, and why; or how far its job is. */
import { Link } from "@tanstack/react-router";
import type { CSSProperties } from "react";
import type { Commit, VerdictBrief } from "../../shared/api/types";
import { byUrgency } from "../../shared/logic/run/verdict";
import { ago, moment, said, signed, THIN } from "../../shared/logic/text/format";
import { Icon } from "../../shared/ui/Icon";
import { JobBadge, JobProgress } from "../../shared/ui/jobs/JobProgress";
import { FixesLink } from "../../shared/ui/links/FixesLink";
import { ChangeText } from "../../shared/ui/run/ChangeText";
import { ChangeWhisker } from "../../shared/ui/run/ChangeWhisker";
import { VerdictBadge } from "../../shared/ui/run/VerdictBadge";

interface Props {
  project: string;
  commit: Commit;
  now: number;
  /** |ln ratio| at the edge of the drawn intervals, common to the list. */
  reach: number;
  /** Several scenarios are shown: each verdict says which it is of. */
  nameScenarios: boolean;
  marked: boolean;
  onFocus: () => void;
}

export function CommitRow({ project, commit, now, reach, nameScenarios, marked, onFocus }: Props) {
  const { job } = commit;
  const verdicts = byUrgency(commit.verdicts);
  const first = verdicts[0];
  return (
    <li
      className={`commit${marked ? " marked" : ""}`}
      style={{ "--rows": Math.max(verdicts.length, 1) } as CSSProperties}
    >
      <div className="commit-main">
        <Link
          to="/p/$project/compare"
          params={{ project }}
          search={{
            ...(commit.parent_sha ? { base: commit.parent_sha } : {}),
            head: commit.sha,
            ...(first ? { scenario: first.scenario } : {}),
          }}
          className="commit-link"
          data-commit={commit.sha}
          onFocus={onFocus}
        >
          {commit.subject ?? commit.short_sha}
        </Link>
        <div className="commit-meta">
          {commit.subject && <span className="mono">{commit.short_sha}</span>}
          {commit.author && ` · ${commit.author}`}
          {commit.committed_at && (
            <span title={moment(commit.committed_at)}> · {ago(commit.committed_at, now)}</span>
          )}
          {marked && " · marked for comparison"}
        </div>
      </div>
      {verdicts.map((verdict, row) => (
        <VerdictLine
          key={verdict.run_id}
          project={project}
          verdict={verdict}
          row={row + 1}
          reach={reach}
          nameScenario={nameScenarios}
        />
      ))}
      {first === undefined && (
        <>
          <div className="commit-verdict">{job ? <JobBadge job={job} /> : <NotMeasured />}</div>
          <div className="commit-what">
            {job ? <JobProgress job={job} /> : <span className="soft">{commit.skipped ?? "No job"}</span>}
          </div>
        </>
      )}
      <span className="commit-go">
        <Icon name="right" />
      </span>
    </li>
  );
}

interface LineProps {
  project: string;
  verdict: VerdictBrief;
  /** Line of the row, from 1. */
  row: number;
  reach: number;
  nameScenario: boolean;
}

/** One scenario's verdict, its size and its cause, on one line of the row. */
function VerdictLine({ project, verdict, row, reach, nameScenario }: LineProps) {
  const line = { "--row": row } as CSSProperties;
  return (
    <>
      <div className="commit-verdict above" style={line}>
        <VerdictBadge display={verdict.display} />
      </div>
      <div className="commit-change" style={line}>
        <ChangeOf verdict={verdict} reach={reach} />
      </div>
      <div className="commit-what" style={line}>
        <What project={project} verdict={verdict} nameScenario={nameScenario} />
      </div>
    </>
  );
}

const NotMeasured = () => <span className="verdict state-pill">Not measured</span>;

function ChangeOf({ verdict, reach }: { verdict: VerdictBrief; reach: number }) {
  if (verdict.unchanged) return <span className="soft">same code as its base</span>;
  if (verdict.price_cycles_per_packet !== null)
    return (
      <>
        <span className="change">
          {signed(verdict.price_cycles_per_packet)}
          {THIN}cycles/packet
        </span>
        <span className="commit-meta">price of the feature</span>
      </>
    );
  if (verdict.ratio_cpp === null) return null;
  return (
    <>
      <ChangeText of={verdict} />
      <ChangeWhisker of={verdict} display={verdict.display} reach={reach} />
    </>
  );
}

interface WhatProps {
  project: string;
  verdict: VerdictBrief;
  nameScenario: boolean;
}

function What({ project, verdict, nameScenario }: WhatProps) {
  return (
    <>
      {nameScenario && <span className="tag">{verdict.scenario}</span>}
      {!verdict.unchanged && (
        <span className="summary" title={said(verdict.summary)}>
          {said(verdict.summary)}
        </span>
      )}
      <FixesLink project={project} verdict={verdict} className="tag above" />
    </>
  );
}
