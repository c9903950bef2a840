// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import type { BisectDetail } from "../../shared/api/types";
import { figureName, figureText } from "../../shared/logic/queue";
import { moment, shortSha } from "../../shared/logic/text/format";
import { useLiveJobs } from "../../shared/ui/hooks/useLive";
import { useMetricTitles } from "../../shared/ui/hooks/useMetrics";
import { ShaLink } from "../../shared/ui/links/ShaLink";
import { Panel } from "../../shared/ui/Panel";
import { Facts } from "../../shared/ui/run/HostFacts";
import { bisectQuery, cancelBisect } from "./api";
import { BisectSteps } from "./BisectSteps";
import { CampaignFrame } from "./CampaignFrame";
import { candidatesLeft, isSearching, searchStateWord } from "./campaigns";

const route = getRouteApi("/p/$project/bisections/$id");

export function BisectPage() {
  const { project, id } = route.useParams();
  const number = Number(id);
  const live = useLiveJobs({ project, bisect: number }, ["bisect"]);
  const { data: bisect, error, refetch } = useQuery(bisectQuery(number));
  const titles = useMetricTitles(project);
  if (bisect !== undefined && bisect.project !== project)
    return <Navigate to="/p/$project/bisections/$id" params={{ project: bisect.project, id }} replace />;
  return (
    <CampaignFrame
      project={project}
      title={`Bisection ${id}`}
      campaign={bisect}
      error={error}
      onRetry={refetch}
      live={live}
      state={(loaded) => `${figureText(loaded, titles)}, ${searchStateWord(loaded.state).toLowerCase()}`}
      cancel={cancelBisect}
      renews={["bisect", "bisects"]}
    >
      {(loaded) => (
        <>
          <Outcome bisect={loaded} titles={titles} />
          <Panel title="Steps">
            <BisectSteps bisect={loaded} />
          </Panel>
        </>
      )}
    </CampaignFrame>
  );
}

interface OutcomeProps {
  bisect: BisectDetail;
  titles: ReadonlyMap<string, string>;
}

function Outcome({ bisect, titles }: OutcomeProps) {
  const left = candidatesLeft(bisect);
  const found = bisect.state === "found" && bisect.high_sha !== null;
  return (
    <Panel title={found ? "The culprit" : searchStateWord(bisect.state)}>
      {found ? (
        <Culprit bisect={bisect} titles={titles} />
      ) : (
        bisect.message && <p className="said">{bisect.message}</p>
      )}
      <Facts
        pairs={[
          ["Scenario", bisect.scenario],
          ["Figure", figureName(bisect, titles) ?? "what decides the runs"],
          ["Good", <ShaLink key="good" project={bisect.project} sha={bisect.good_sha} />],
          ["Bad", <ShaLink key="bad" project={bisect.project} sha={bisect.bad_sha} />],
          ["Commits", bisect.commits ?? "not read yet"],
          ["Candidates left", left ?? "not read yet"],
          ["Change", bisect.direction ?? (isSearching(bisect) ? "not known yet" : "none found")],
          ["Requested", `by ${bisect.requested_by}, ${moment(bisect.created_at)}`],
        ]}
      />
    </Panel>
  );
}

function Culprit({ bisect, titles }: OutcomeProps) {
  const { project, low_sha, high_sha, scenario } = bisect;
  if (high_sha === null) return null;
  return (
    <p className="said">
      <Link
        to="/p/$project/compare"
        params={{ project }}
        search={{ ...(low_sha ? { base: low_sha } : {}), head: high_sha, scenario }}
        className="mono"
      >
        {shortSha(high_sha)}
      </Link>{" "}
      {bisect.direction} {figureText(bisect, titles)}.
    </p>
  );
}
