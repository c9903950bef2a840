// SPDX-License-Identifier: Apache-2.0
/** From an empty project to its first verdict: what is to be done, with commands; steps tick themselves. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { projectQuery } from "../api/queries";
import { setupQuery } from "../api/setup";
import { PageHead } from "../components/PageHead";
import { RepositoryTrouble } from "../components/RepositoryTrouble";
import { SetupSteps } from "../components/SetupSteps";
import { Failed, Loading } from "../components/States";
import { useLiveJobs } from "../components/useLive";
import { useMay, useSession } from "../components/useSession";
import { useTitle } from "../components/useTitle";
import { setupDone } from "../logic/setup";

const route = getRouteApi("/p/$project/start");

export function StartPage() {
  const { project } = route.useParams();
  useTitle("First verdict", project);
  useLiveJobs({ project }, ["project", "setup"]);
  const known = Boolean(useSession()?.name);
  const maintains = useMay(project, "maintainer");
  const about = useQuery(projectQuery(project));
  const seen = useQuery(setupQuery(project, { known, maintains }));
  const failed = about.error ?? seen.error;
  const ready = about.data !== undefined && seen.data !== undefined;
  return (
    <>
      <PageHead
        title="To the first verdict"
        under="Each step is ticked as soon as this server sees it done."
      />
      <RepositoryTrouble error={about.data?.repository_error} />
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
          })}
        />
      )}
    </>
  );
}
