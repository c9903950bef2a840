// SPDX-License-Identifier: Apache-2.0
/** From an empty project to its first verdict: what is to be done, with commands; steps tick themselves. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { projectQuery } from "../../shared/api/queries";
import { setupDone } from "../../shared/logic/setup";
import { useLiveJobs } from "../../shared/ui/hooks/useLive";
import { useMay, useSession } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { PageHead } from "../../shared/ui/PageHead";
import { ProjectProblems } from "../../shared/ui/ProjectProblems";
import { Failed, Loading } from "../../shared/ui/States";
import { createdQuery, setupQuery } from "./api";
import { SetupSteps } from "./SetupSteps";

const route = getRouteApi("/p/$project/start");

export function StartPage() {
  const { project } = route.useParams();
  useTitle("First verdict", project);
  useLiveJobs({ project }, ["project", "setup"]);
  const known = Boolean(useSession()?.name);
  const maintains = useMay(project, "maintainer");
  const about = useQuery(projectQuery(project));
  const seen = useQuery(setupQuery(project, { known, maintains }));
  const { data: made } = useQuery(createdQuery(project));
  const failed = about.error ?? seen.error;
  const ready = about.data !== undefined && seen.data !== undefined;
  return (
    <>
      <PageHead title="Set up the first verdict" under="The page marks each step when it is complete." />
      {made && (
        <p role="status" className="held">
          {made.name} was created. The steps below show its webhook secret and its upload token: copy them
          before you leave this page.
        </p>
      )}
      <ProjectProblems project={about.data} />
      {!ready &&
        (failed ? (
          <Failed error={failed} onRetry={about.error ? about.refetch : seen.refetch} />
        ) : (
          <Loading rows={5} />
        ))}
      {ready && (
        <SetupSteps
          about={about.data}
          done={setupDone({
            ...seen.data,
            commits: about.data.commits,
            judged: about.data.last_verdict !== null,
            problems: about.data.problems,
          })}
          made={made}
        />
      )}
    </>
  );
}
