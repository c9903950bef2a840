// SPDX-License-Identifier: Apache-2.0
/** A project in a list: its last verdict, what is open, when it last moved. */
import { Link } from "@tanstack/react-router";
import type { Problem, Project, Trend } from "../../shared/api/types";
import { counted } from "../../shared/logic/overview";
import { ago, said } from "../../shared/logic/text/format";
import { Icon } from "../../shared/ui/Icon";
import { ProjectProblems } from "../../shared/ui/ProjectProblems";
import { ChangeText, changeOfRun, openAlertsOf } from "../../shared/ui/run/ChangeText";
import { VerdictBadge } from "../../shared/ui/run/VerdictBadge";
import { TrendSpark } from "./TrendSpark";

interface Props {
  project: Project;
  trend: Trend | undefined;
  now: number;
}

export function ProjectRow({ project, trend, now }: Props) {
  const verdict = project.last_verdict;
  const params = { project: project.name };
  return (
    <li className="commit">
      <div className="commit-verdict above">
        <ProjectState project={project} />
      </div>
      <div className="commit-main">
        <Link to="/p/$project" params={params} className="commit-link">
          {project.name}
        </Link>
        <div className="commit-meta">
          {project.repository} · {project.default_branch}
        </div>
      </div>
      <div className="commit-change">
        {verdict && verdict.ratio_cpp !== null && (
          <ChangeText of={verdict} quantity={changeOfRun(verdict.run_id)} />
        )}
        <TrendSpark trend={trend} />
      </div>
      <div className="commit-what">
        {verdict ? (
          <span className="summary">{said(verdict.summary)}</span>
        ) : (
          <Link to="/p/$project/start" params={params} className="above">
            Set up the first verdict
          </Link>
        )}
        <ProjectProblems project={project} />
        <Figures project={project} now={now} />
      </div>
      <span className="commit-go">
        <Icon name="right" />
      </span>
    </li>
  );
}

const PROBLEMS: Record<Problem["kind"], string> = {
  repository: "Unreadable",
  branch: "No branch",
  configuration: "No nalm.toml",
  hosts: "No host",
  job: "Failed",
};

/** What is to be done comes before what was measured last. */
function ProjectState({ project }: { project: Project }) {
  if (project.alerts_open > 0)
    return (
      <span className="verdict verdict-regressed">
        <Icon name="regressed" />
        <span data-quantity={openAlertsOf(project.name)}>{project.alerts_open}</span> open
      </span>
    );
  const problem = project.problems[0];
  if (problem !== undefined)
    return (
      <span className="verdict verdict-invalid">
        <Icon name="invalid" />
        {PROBLEMS[problem.kind]}
      </span>
    );
  if (project.last_verdict) return <VerdictBadge display={project.last_verdict.display} />;
  return <span className="verdict state-pill">No verdict yet</span>;
}

function Figures({ project, now }: { project: Project; now: number }) {
  return (
    <span className="soft">
      {project.alerts_open > 0 && (
        <>
          <Link to="/p/$project/alerts" params={{ project: project.name }} className="above">
            {counted(project.alerts_open, "open alert")}
          </Link>
          {" · "}
        </>
      )}
      {counted(project.commits, "commit")}
      {project.jobs_open > 0 && ` · ${counted(project.jobs_open, "job")} open`}
      {project.last_activity_at && ` · active ${ago(project.last_activity_at, now)}`}
    </span>
  );
}
