// SPDX-License-Identifier: Apache-2.0
/** One commit in the list: its most urgent verdict, how many scenarios have which; or how far its job is. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { commitQuery } from "../../shared/api/queries";
import type { CommitSummary, VerdictBrief } from "../../shared/api/types";
import { byUrgency } from "../../shared/logic/run/verdict";
import { ago, moment, said } from "../../shared/logic/text/format";
import { Icon } from "../../shared/ui/Icon";
import { JobBadge, JobProgress } from "../../shared/ui/jobs/JobProgress";
import { FixesLink } from "../../shared/ui/links/FixesLink";
import type { RowPlace } from "../../shared/ui/lists/VirtualList";
import { ChangeWhisker } from "../../shared/ui/run/ChangeWhisker";
import { OutcomePills } from "../../shared/ui/run/OutcomePills";
import { VerdictBadge } from "../../shared/ui/run/VerdictBadge";
import { VerdictChange } from "../../shared/ui/run/VerdictChange";
import { FailedPart } from "../../shared/ui/States";

interface Props {
  project: string;
  commit: CommitSummary;
  now: number;
  /** |ln ratio| at the edge of the drawn intervals, common to the list. */
  reach: number;
  /** Several scenarios are shown: each verdict says which it is of. */
  nameScenarios: boolean;
  marked: boolean;
  chosen: boolean;
  opened: boolean;
  place: RowPlace;
  onFocus: () => void;
  onChoose: () => void;
  onOpen: () => void;
}

export function CommitRow(props: Props) {
  const { project, commit, now, marked, chosen, opened, place, onFocus, onChoose, onOpen } = props;
  const { job } = commit;
  const first = commit.verdicts[0];
  const scenarios = Object.values(commit.outcomes).reduce((sum, count) => sum + count, 0);
  return (
    <li {...place} className={`commit${marked || chosen ? " marked" : ""}`}>
      <input
        type="checkbox"
        className="commit-choice above"
        aria-label={`Choose ${commit.short_sha} for a comparison`}
        checked={chosen}
        onChange={onChoose}
      />
      <div className="commit-main">
        <Link
          to="/p/$project/compare"
          params={{ project }}
          search={{ head: commit.sha, ...(first ? { scenario: first.scenario } : {}) }}
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
      {first === undefined ? (
        <>
          <div className="commit-verdict">{job ? <JobBadge job={job} /> : <NotMeasured />}</div>
          <div className="commit-what">
            {job ? (
              <JobProgress job={job} />
            ) : (
              <span className="soft">{commit.skipped ?? "No measurement was requested"}</span>
            )}
            {job && STANDS.has(job.state) && (
              <Link className="above" to="/jobs/$jobId" params={{ jobId: String(job.id) }}>
                {job.state === "queued" ? "Why it waits" : "What went wrong"}
              </Link>
            )}
          </div>
        </>
      ) : (
        <VerdictCells verdict={first} {...props} />
      )}
      <span className="commit-go">
        <Icon name="right" />
      </span>
      {first !== undefined && scenarios > 1 && (
        <Outcomes outcomes={commit.outcomes} opened={opened} onOpen={onOpen} />
      )}
      {opened && <AllVerdicts {...props} />}
    </li>
  );
}

interface OutcomesProps {
  outcomes: Readonly<Record<string, number>>;
  opened: boolean;
  onOpen: () => void;
}

/** The number of scenarios by outcome; pressed, it opens every scenario's verdict. */
function Outcomes({ outcomes, opened, onOpen }: OutcomesProps) {
  return (
    <button type="button" className="commit-outcomes above" aria-expanded={opened} onClick={onOpen}>
      <Icon name={opened ? "down" : "right"} size={12} />
      <OutcomePills outcomes={outcomes} />
    </button>
  );
}

type CellsProps = Pick<Props, "project" | "commit" | "reach" | "nameScenarios"> & { verdict: VerdictBrief };

/** One scenario's verdict, its size and its cause. */
function VerdictCells({ project, commit, verdict, reach, nameScenarios }: CellsProps) {
  return (
    <>
      <div className="commit-verdict above">
        <VerdictBadge display={verdict.display} />
      </div>
      <div className="commit-change">
        <VerdictChange sha={commit.sha} verdict={verdict}>
          <ChangeWhisker of={verdict} display={verdict.display} reach={reach} />
        </VerdictChange>
      </div>
      <div className="commit-what">
        <What project={project} verdict={verdict} nameScenario={nameScenarios} />
      </div>
    </>
  );
}

/** Every scenario's verdict, the most urgent and largest first, read when the row is opened. */
function AllVerdicts({ project, commit, reach }: Props) {
  const { data, error, refetch } = useQuery(commitQuery(project, commit.sha));
  if (data === undefined)
    return (
      <div className="commit-all above">
        {error ? (
          <FailedPart error={error} onRetry={refetch} />
        ) : (
          <span role="status">Reading all verdicts…</span>
        )}
      </div>
    );
  const size = (verdict: VerdictBrief): number => Math.abs(Math.log(verdict.ratio_cpp ?? 1));
  const verdicts = byUrgency([...data.verdicts].sort((a, b) => size(b) - size(a)));
  return (
    <ul className="commit-all above" aria-label={`Verdicts of ${commit.short_sha}`}>
      {verdicts.map((verdict) => (
        <li key={verdict.run_id} className="commit-one">
          <VerdictCells
            project={project}
            commit={commit}
            verdict={verdict}
            reach={reach}
            nameScenarios={false}
          />
          <Link
            className="commit-scenario"
            to="/p/$project/compare"
            params={{ project }}
            search={{ head: commit.sha, scenario: verdict.scenario }}
          >
            {verdict.scenario}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** States that a reader asks about: the job's page has the reason and the next step. */
const STANDS: ReadonlySet<string> = new Set(["queued", "failed", "invalid"]);

const NotMeasured = () => <span className="verdict state-pill">Not measured</span>;

/** Without the change of a verdict `same`, which stands beside it with its interval. */
const restOf = ({ display, ratio_cpp, summary }: VerdictBrief): string =>
  display === "same" && ratio_cpp !== null
    ? summary.replace(/^[+\u2212-]?[\d.]+ % cycles(?:\/packet)?, /, "")
    : summary;

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
          {said(restOf(verdict))}
        </span>
      )}
      <FixesLink project={project} verdict={verdict} className="tag above" />
    </>
  );
}
