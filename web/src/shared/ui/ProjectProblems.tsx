// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { Problem, Project } from "../api/types";
import { useMay } from "./hooks/useSession";
import { Icon } from "./Icon";
import { ServerText } from "./ServerText";

/** Why nothing of a project is measured, each with the next step. Nothing while the server knows of no reason. */
export function ProjectProblems({ project }: { project: Project | undefined }) {
  if (project === undefined || project.problems.length === 0) return null;
  return (
    <ul className="problems" aria-label="What keeps commits from being measured">
      {project.problems.map((problem) => (
        <li key={`${problem.kind} ${problem.job_id}`}>
          <p className="action-error">
            <Icon name="invalid" /> <ServerText>{problem.message}</ServerText>
          </p>
          <p className="soft">
            <ServerText>{problem.advice}</ServerText> <Place project={project.name} problem={problem} />
          </p>
        </li>
      ))}
    </ul>
  );
}

/** Where the advice is followed, for those who may. */
function Place({ project, problem }: { project: string; problem: Problem }) {
  const maintains = useMay(project, "maintainer");
  if (problem.job_id !== null)
    return (
      <Link to="/jobs/$jobId" params={{ jobId: String(problem.job_id) }} className="above">
        Job {problem.job_id}
      </Link>
    );
  if (problem.kind === "hosts")
    return (
      <Link to="/hosts" className="above">
        Hosts
      </Link>
    );
  if (!maintains) return null;
  return (
    <Link
      to="/p/$project/settings"
      params={{ project }}
      search={{ part: problem.kind === "branch" ? "project" : "repository" }}
      className="above"
    >
      Settings
    </Link>
  );
}
