// SPDX-License-Identifier: Apache-2.0
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import type { BisectDetail } from "../../shared/api/types";
import { moment, shortSha } from "../../shared/logic/text/format";
import { ActionError } from "../../shared/ui/ActionError";
import { useAction } from "../../shared/ui/hooks/useAction";
import { useLiveJobs } from "../../shared/ui/hooks/useLive";
import { useMay } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { LiveMark } from "../../shared/ui/LiveMark";
import { ShaLink } from "../../shared/ui/links/ShaLink";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { Facts } from "../../shared/ui/run/HostFacts";
import { Failed, Loading } from "../../shared/ui/States";
import { bisectQuery, cancelBisect } from "./api";
import { BisectSteps } from "./BisectSteps";
import { candidatesLeft, isSearching, searchStateWord } from "./campaigns";

const route = getRouteApi("/p/$project/bisections/$id");

export function BisectPage() {
  const { project, id } = route.useParams();
  const number = Number(id);
  const live = useLiveJobs({ project, bisect: number }, ["bisect"]);
  const { data: bisect, error, refetch } = useQuery(bisectQuery(number));
  useTitle(`Bisect ${id}`, project);
  if (bisect !== undefined && bisect.project !== project)
    return <Navigate to="/p/$project/bisections/$id" params={{ project: bisect.project, id }} replace />;
  return (
    <>
      <PageHead
        title={`Bisect ${id}`}
        up={
          <Link to="/p/$project/queue" params={{ project }}>
            Queue
          </Link>
        }
        under={bisect && `${bisect.scenario}, ${searchStateWord(bisect.state).toLowerCase()}`}
      >
        {bisect && isSearching(bisect) && <LiveMark live={live} />}
        {bisect && <Cancel bisect={bisect} />}
      </PageHead>
      {bisect === undefined && (error ? <Failed error={error} onRetry={refetch} /> : <Loading />)}
      {bisect && <Outcome bisect={bisect} />}
      {bisect && (
        <Panel title="Steps">
          <BisectSteps bisect={bisect} />
        </Panel>
      )}
    </>
  );
}

function Cancel({ bisect }: { bisect: BisectDetail }) {
  const allowed = useMay(bisect.project, "developer");
  const cancel = useAction(() => cancelBisect(bisect.id), { renews: ["bisect", "bisects", "jobs"] });
  if (!allowed || !isSearching(bisect)) return null;
  return (
    <>
      <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
        Cancel
      </Button>
      <ActionError error={cancel.error} />
    </>
  );
}

function Outcome({ bisect }: { bisect: BisectDetail }) {
  const left = candidatesLeft(bisect);
  const found = bisect.state === "found" && bisect.high_sha !== null;
  return (
    <Panel title={found ? "The culprit" : searchStateWord(bisect.state)}>
      {found && <Culprit bisect={bisect} />}
      {bisect.message && <p>{bisect.message}</p>}
      <Facts
        pairs={[
          ["Good", <ShaLink key="good" project={bisect.project} sha={bisect.good_sha} />],
          ["Bad", <ShaLink key="bad" project={bisect.project} sha={bisect.bad_sha} />],
          ["Commits", bisect.commits ?? "not read yet"],
          ["Candidates left", left ?? "not read yet"],
          ["Change", bisect.direction ?? "not known yet"],
          ["Requested", `by ${bisect.requested_by}, ${moment(bisect.created_at)}`],
        ]}
      />
    </Panel>
  );
}

function Culprit({ bisect }: { bisect: BisectDetail }) {
  const { project, low_sha, high_sha, scenario } = bisect;
  if (high_sha === null) return null;
  return (
    <p className="culprit-line">
      <Link
        to="/p/$project/compare"
        params={{ project }}
        search={{ ...(low_sha ? { base: low_sha } : {}), head: high_sha, scenario }}
        className="mono"
      >
        {shortSha(high_sha)}
      </Link>{" "}
      {bisect.direction} {scenario}.
    </p>
  );
}
