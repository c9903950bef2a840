// SPDX-License-Identifier: Apache-2.0
/** What the default branch's cycles per packet did, week by week, over all scenarios. */
import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { projectQuery } from "../../shared/api/queries";
import { Help } from "../../shared/ui/Help";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { FirstStepsLink } from "../../shared/ui/links/FirstStepsLink";
import { PageHead } from "../../shared/ui/PageHead";
import { CenterState, Failed, Loading } from "../../shared/ui/States";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { BadgePanel } from "./BadgePanel";
import { CommitsTabs } from "./CommitsTabs";
import { WeekTable } from "./WeekTable";
import { weeksFile } from "./weeks";
import { weeksQuery } from "./weeksApi";

const route = getRouteApi("/p/$project/weeks");

const HOW =
  "The geometric mean over scenarios of head / base, all commits of a week one after another, at equal features. " +
  "Errors of scenarios that one host measured are added, so the interval is too wide rather than too narrow.";

export function WeeksPage() {
  const { project } = route.useParams();
  const { week } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project/weeks" });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    weeksQuery(project),
  );
  const { data: about } = useQuery(projectQuery(project));
  const weeks = data?.pages.flatMap((page) => page.weeks);
  useTitle("Weeks", project);
  return (
    <>
      <PageHead
        title="Weeks"
        under="What a packet costs, over all scenarios together, week by week on the default branch."
      />
      <CommitsTabs project={project} />
      {weeks === undefined && (error ? <Failed error={error} onRetry={refetch} /> : <Loading />)}
      {weeks?.length === 0 && <NoWeeks project={project} />}
      {weeks !== undefined && weeks.length > 0 && (
        <SavedPanel
          title="Overall change"
          aside={
            <span className="soft">
              <Help text={HOW}>geometric mean</Help>, intervals at 95 %
            </span>
          }
          name={`${project}-weeks`}
          what="weeks"
          rows={() => weeksFile(weeks)}
          pictured
        >
          <WeekTable
            project={project}
            weeks={weeks}
            open={week}
            onOpen={(next) => navigate({ search: { week: next }, replace: true })}
          />
          {hasNextPage && (
            <Button
              mt="sm"
              size="xs"
              variant="default"
              loading={isFetchingNextPage}
              onClick={() => fetchNextPage()}
            >
              Earlier weeks
            </Button>
          )}
        </SavedPanel>
      )}
      {weeks !== undefined && about && <BadgePanel project={project} isPublic={about.public} />}
    </>
  );
}

const NoWeeks = ({ project }: { project: string }) => (
  <CenterState icon="clock" title="No week yet">
    <p>
      A week appears with its first commit of the default branch. Its change is known once the commit has been
      measured against its parent.
    </p>
    <FirstStepsLink project={project} />
  </CenterState>
);
