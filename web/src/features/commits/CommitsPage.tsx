// SPDX-License-Identifier: Apache-2.0
/** A project's commits, newest first, each with what it did to the cost of a packet. */
import { Button, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { alertsQuery } from "../../shared/api/alerts";
import { commitsQuery, projectQuery, scenariosQuery } from "../../shared/api/queries";
import type { Commit } from "../../shared/api/types";
import { OPEN_ALERTS } from "../../shared/logic/alerts";
import { comparePair, moved } from "../../shared/logic/keyboard";
import { filterCommits } from "../../shared/logic/run/verdict";
import { AlertList } from "../../shared/ui/alerts/AlertList";
import { useKeys } from "../../shared/ui/hooks/useKeys";
import { useNow } from "../../shared/ui/hooks/useNow";
import { useMay } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { FirstStepsLink } from "../../shared/ui/links/FirstStepsLink";
import { PageHead } from "../../shared/ui/PageHead";
import { RepositoryError } from "../../shared/ui/RepositoryError";
import { CenterState, Failed, Loading } from "../../shared/ui/States";
import { CommitRow } from "./CommitRow";
import { CommitsTabs } from "./CommitsTabs";
import { OutcomeFilter } from "./OutcomeFilter";

const route = getRouteApi("/p/$project");
const PAGE = 50;
/** The API's largest page. */
const MOST = 500;

export function CommitsPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project" });
  const [limit, setLimit] = useState(PAGE);
  const { data: commits, error, refetch } = useQuery(commitsQuery(project, search.scenario, limit));
  const { data: about } = useQuery(projectQuery(project));
  const { data: scenarios = [] } = useQuery(scenariosQuery(project));
  const mayMeasure = useMay(project, "developer");
  useTitle("Commits", project);

  const wanted = search.outcome?.split(",") ?? [];
  return (
    <>
      <PageHead title="Commits" under={about ? `${about.repository} · ${about.default_branch}` : project}>
        {commits !== undefined && commits.length > 0 && (
          <OutcomeFilter
            commits={commits}
            wanted={wanted}
            onChange={(outcome) => navigate({ search: (old) => ({ ...old, outcome }), replace: true })}
          />
        )}
        {scenarios.length > 1 && (
          <Select
            aria-label="Scenario"
            placeholder="All scenarios"
            clearable
            size="xs"
            data={scenarios.map((scenario) => scenario.name)}
            value={search.scenario ?? null}
            onChange={(scenario) =>
              navigate({ search: (old) => ({ ...old, scenario: scenario ?? undefined }), replace: true })
            }
          />
        )}
        {mayMeasure && !error && (
          <Button
            size="xs"
            variant="default"
            onClick={() => navigate({ to: "/p/$project/measure", params: { project } })}
          >
            Measure…
          </Button>
        )}
      </PageHead>
      <CommitsTabs project={project} />
      <RepositoryError error={about?.repository_error} />
      <OpenAlerts project={project} count={about?.alerts_open ?? 0} />
      {commits === undefined && (error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={9} />)}
      {commits?.length === 0 && (
        <NoCommits
          project={project}
          branch={about?.default_branch ?? "the default branch"}
          unread={Boolean(about?.repository_error)}
        />
      )}
      {commits !== undefined && commits.length > 0 && (
        <List
          project={project}
          commits={filterCommits(commits, wanted)}
          nameScenarios={scenarios.length > 1 && search.scenario === undefined}
          onShowAll={() => navigate({ search: {}, replace: true })}
          {...(commits.length === limit && limit < MOST ? { onOlder: () => setLimit(limit + PAGE) } : {})}
        />
      )}
    </>
  );
}

/** So many findings stand above the commits. */
const TOP = 3;

/** What is open, the most severe first; nothing when nothing is. */
function OpenAlerts({ project, count }: { project: string; count: number }) {
  const { data = [] } = useQuery(alertsQuery(project, { states: OPEN_ALERTS, order: "severity" }));
  const open = data.filter((one) => !one.muted);
  if (open.length === 0) return null;
  const total = Math.max(count, open.length);
  return (
    <section className="panel open-alerts" aria-labelledby="open-alerts">
      <div className="panel-head list-head">
        <h2 id="open-alerts">{total === 1 ? "1 open alert" : `${total} open alerts`}</h2>
        <Link to="/p/$project/alerts" params={{ project }}>
          {total > TOP ? `All ${total}, by severity` : "All alerts"}
        </Link>
      </div>
      <AlertList alerts={open.slice(0, TOP)} label="Open alerts, the most severe first" />
    </section>
  );
}

function NoCommits({ project, branch, unread }: { project: string; branch: string; unread: boolean }) {
  return (
    <CenterState
      icon={unread ? "invalid" : "clock"}
      title={unread ? "No commit could be read" : "Waiting for the first merge"}
    >
      <p>
        A push to {branch} is announced by the forge's webhook, and its commit appears here at once. Without a
        forge, measure in the repository and send the report:
      </p>
      <code className="command">nalm check --base HEAD~1 --head HEAD</code>
      <FirstStepsLink project={project} />
    </CenterState>
  );
}

interface ListProps {
  project: string;
  commits: readonly Commit[];
  nameScenarios: boolean;
  onShowAll: () => void;
  onOlder?: () => void;
}

/** Intervals are drawn to at least this |ln ratio|, and to no more than the other. */
const LEAST_REACH = 0.05;
const MOST_REACH = 0.3;

function List({ project, commits, nameScenarios, onShowAll, onOlder }: ListProps) {
  const now = useNow();
  const navigate = useNavigate();
  const [cursor, setCursor] = useState(-1);
  const [marked, setMarked] = useState<string | null>(null);
  const order = commits.map((commit) => commit.sha);
  const step = (by: 1 | -1) => () => {
    const sha = order[moved(cursor, by, order.length)];
    if (sha) document.querySelector<HTMLElement>(`[data-commit="${sha}"]`)?.focus();
  };
  const mark = (): void => {
    const current = order[cursor];
    if (current === undefined) return;
    const pair = marked === null ? null : comparePair(marked, current, order);
    if (pair) navigate({ to: "/p/$project/compare", params: { project }, search: pair });
    else setMarked(marked === current ? null : current);
  };
  const unmark = (): void => setMarked(null);
  useKeys({ j: step(1), k: step(-1), c: mark, Escape: unmark });

  if (commits.length === 0)
    return (
      <CenterState icon="same" title="No commit with this outcome">
        <Button size="xs" variant="default" onClick={onShowAll}>
          Show all
        </Button>
      </CenterState>
    );
  const sizes = commits.flatMap((commit) =>
    commit.verdicts.map((verdict) => Math.abs(Math.log(verdict.ratio_cpp ?? 1)) * 1.2),
  );
  const reach = Math.min(Math.max(LEAST_REACH, ...sizes), MOST_REACH);
  return (
    <div className="panel">
      <ol className="commits" aria-label="Commits, newest first">
        {commits.map((commit, index) => (
          <CommitRow
            key={commit.sha}
            project={project}
            commit={commit}
            now={now}
            reach={reach}
            nameScenarios={nameScenarios}
            marked={commit.sha === marked}
            onFocus={() => setCursor(index)}
          />
        ))}
      </ol>
      {onOlder && (
        <div className="list-foot">
          <Button size="xs" variant="default" onClick={onOlder}>
            Show older commits
          </Button>
        </div>
      )}
    </div>
  );
}
