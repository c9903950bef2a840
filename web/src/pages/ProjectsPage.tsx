// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { projectsQuery } from "../api/queries";
import type { Project } from "../api/types";
import { SignInLink } from "../components/AccountMenu";
import { ChangeText } from "../components/ChangeText";
import { Icon } from "../components/Icon";
import { PageHead } from "../components/PageHead";
import { CenterState, Failed, Loading } from "../components/States";
import { useNow } from "../components/useNow";
import { useSession } from "../components/useSession";
import { useTitle } from "../components/useTitle";
import { VerdictBadge } from "../components/VerdictBadge";
import { ago } from "../logic/format";

export function ProjectsPage() {
  useTitle("Projects");
  const { data: projects, error, refetch } = useQuery(projectsQuery());
  return (
    <>
      <PageHead title="Projects" under="Repositories of network functions whose merges are measured here.">
        <NewProjectLink />
      </PageHead>
      <Content projects={projects} error={error} onRetry={refetch} />
    </>
  );
}

interface ContentProps {
  projects: readonly Project[] | undefined;
  error: Error | null;
  onRetry: () => void;
}

function Content({ projects, error, onRetry }: ContentProps) {
  const now = useNow();
  const session = useSession();
  if (projects === undefined)
    return error ? <Failed error={error} onRetry={onRetry} /> : <Loading rows={3} />;
  if (projects.length === 0) return session?.name === null ? <NonePublic /> : <FirstProject />;
  return (
    <ul className="panel commits">
      {projects.map((project) => (
        <ProjectRow key={project.name} project={project} now={now} />
      ))}
    </ul>
  );
}

function ProjectRow({ project, now }: { project: Project; now: number }) {
  const verdict = project.last_verdict;
  return (
    <li className="commit">
      <div className="commit-verdict above">
        {verdict ? (
          <VerdictBadge display={verdict.display} />
        ) : (
          <span className="verdict state-pill">No verdict yet</span>
        )}
      </div>
      <div className="commit-main">
        <Link to="/p/$project" params={{ project: project.name }} className="commit-link">
          {project.name}
        </Link>
        <div className="commit-meta">
          {project.repository} · {project.default_branch}
        </div>
      </div>
      <div className="commit-change">
        {verdict && verdict.ratio_cpp !== null && <ChangeText of={verdict} />}
      </div>
      <div className="commit-what soft">
        {verdict && <span className="summary">{verdict.summary}</span>}
        <span>
          {project.commits} {project.commits === 1 ? "commit" : "commits"}
          {project.jobs_open > 0 && `, ${project.jobs_open} at work or waiting`}
          {project.last_activity_at && `, last ${ago(project.last_activity_at, now)}`}
        </span>
      </div>
      <span className="commit-go">
        <Icon name="right" />
      </span>
    </li>
  );
}

function NonePublic() {
  return (
    <CenterState icon="help" title="No project is public here">
      <p>Those with a role in a project see it once they sign in.</p>
      <SignInLink />
    </CenterState>
  );
}

function NewProjectLink() {
  return useSession()?.administrator ? <Link to="/new">New project</Link> : null;
}

function FirstProject() {
  const administrator = useSession()?.administrator ?? false;
  return (
    <CenterState icon="feature" title="No project yet">
      <p>Three steps lead from here to the first verdict.</p>
      <ol className="steps">
        <li>
          In the repository of the network function, let nalm propose a description of it:
          <code className="command">nalm init</code>
        </li>
        <li>
          On this server, add the repository; the webhook's secret and a token are shown once:{" "}
          {administrator ? (
            <Link to="/new">Make a project</Link>
          ) : (
            <code className="command">nalm-server project add NAME --repository ADDRESS</code>
          )}
        </li>
        <li>
          Enter address and secret as a webhook of the forge. The next merge appears here while it is
          measured.
        </li>
      </ol>
    </CenterState>
  );
}
