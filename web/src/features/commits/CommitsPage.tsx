// SPDX-License-Identifier: Apache-2.0
/** A project's commits, newest first, each with what it did to the cost of a packet. */
import { Button, Select } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { alertsQuery } from "../../shared/api/alerts";
import { projectQuery, scenariosQuery } from "../../shared/api/queries";
import type { CommitSummary } from "../../shared/api/types";
import { OPEN_ALERTS } from "../../shared/logic/alerts";
import { comparePair } from "../../shared/logic/keyboard";
import { AlertList } from "../../shared/ui/alerts/AlertList";
import { Command } from "../../shared/ui/Command";
import { useCursor } from "../../shared/ui/hooks/useCursor";
import { useKeys } from "../../shared/ui/hooks/useKeys";
import { useNow } from "../../shared/ui/hooks/useNow";
import { useMay } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { FirstStepsLink } from "../../shared/ui/links/FirstStepsLink";
import { SearchBox } from "../../shared/ui/lists/SearchBox";
import { VirtualList } from "../../shared/ui/lists/VirtualList";
import { PageHead } from "../../shared/ui/PageHead";
import { ProjectProblems } from "../../shared/ui/ProjectProblems";
import { openAlertsOf } from "../../shared/ui/run/ChangeText";
import { CenterState, Failed, Loading } from "../../shared/ui/States";
import { commitSearchQuery } from "./api";
import { CommitRow } from "./CommitRow";
import { CommitsTabs } from "./CommitsTabs";
import { OutcomeFilter } from "./OutcomeFilter";

const route = getRouteApi("/p/$project");

export function CommitsPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project" });
  const requested = search.outcome?.split(",") ?? [];
  const found = useInfiniteQuery(
    commitSearchQuery(project, { text: search.q, outcomes: requested, scenario: search.scenario }),
  );
  const { data, error, refetch } = found;
  const { data: about, isPending: notYetKnown } = useQuery(projectQuery(project));
  const { data: scenarios = [], isPending: notYetNamed } = useQuery(scenariosQuery(project));
  const mayMeasure = useMay(project, "developer");
  useTitle("Commits", project);
  const set = (change: {
    outcome?: string | undefined;
    scenario?: string | undefined;
    q?: string | undefined;
  }) => navigate({ search: (old) => ({ ...old, ...change }), replace: true });

  // What stands above the list comes first, and whether rows name their scenarios: both would move the list.
  const { isPending: alertsPending } = useQuery(openAlertsQuery(project));
  const waits = notYetKnown || notYetNamed || (about !== undefined && about.alerts_open > 0 && alertsPending);
  const commits = waits ? undefined : data?.pages.flatMap((page) => page.commits);
  const filtered = Boolean(search.outcome || search.q || search.scenario);
  return (
    <>
      <PageHead title="Commits" under={about ? `${about.repository} · ${about.default_branch}` : project}>
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
      <ProjectProblems project={about} />
      {!waits && <OpenAlerts project={project} count={about?.alerts_open ?? 0} />}
      {commits !== undefined && (commits.length > 0 || filtered) && (
        <search className="list-filter">
          <SearchBox
            label="Search commits"
            placeholder="Subject, author, hash or path"
            value={search.q}
            onChange={(q) => set({ q })}
          />
          {scenarios.length > 1 && (
            <Select
              aria-label="Scenario"
              placeholder="All scenarios"
              clearable
              searchable
              size="xs"
              data={scenarios.map((scenario) => scenario.name)}
              value={search.scenario ?? null}
              onChange={(scenario) => set({ scenario: scenario ?? undefined })}
            />
          )}
          <OutcomeFilter
            counts={data?.pages[0]?.outcomes ?? {}}
            requested={requested}
            onChange={(outcome) => set({ outcome })}
          />
          <span role="status" className="soft">
            {found.isPlaceholderData ? "Searching…" : ""}
          </span>
        </search>
      )}
      {commits === undefined && (error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={9} />)}
      {commits?.length === 0 && !filtered && (
        <NoCommits
          project={project}
          branch={about?.default_branch ?? "the default branch"}
          unread={about?.problems.some(({ kind }) => kind === "repository" || kind === "branch") ?? false}
        />
      )}
      {commits !== undefined && (commits.length > 0 || filtered) && (
        <List
          key={search.scenario ?? ""}
          project={project}
          commits={commits}
          nameScenarios={scenarios.length > 1 && search.scenario === undefined}
          onShowAll={() => navigate({ search: {}, replace: true })}
          more={found.hasNextPage}
          reading={found.isFetchingNextPage}
          onOlder={() => {
            if (found.hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage();
          }}
        />
      )}
    </>
  );
}

const openAlertsQuery = (project: string) => alertsQuery(project, { states: OPEN_ALERTS, order: "severity" });

/** So many findings stand above the commits. */
const TOP = 3;

/** What is open, the most severe first; nothing when nothing is. */
function OpenAlerts({ project, count }: { project: string; count: number }) {
  const { data = [] } = useQuery(openAlertsQuery(project));
  const open = data.filter((one) => !one.muted);
  if (open.length === 0) return null;
  const total = Math.max(count, open.length);
  return (
    <section className="panel open-alerts" aria-labelledby="open-alerts">
      <div className="panel-head list-head">
        <h2 id="open-alerts">
          <span data-quantity={openAlertsOf(project)}>{total}</span> open {total === 1 ? "alert" : "alerts"}
        </h2>
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
        The forge's webhook announces a push to {branch}, and its commit appears here at once. Without a
        forge, measure in the repository and send the report:
      </p>
      <Command text={`nalm check --submit --server ${window.location.origin} --token-file FILE`} />
      <FirstStepsLink project={project} />
    </CenterState>
  );
}

interface ListProps {
  project: string;
  commits: readonly CommitSummary[];
  nameScenarios: boolean;
  onShowAll: () => void;
  /** The server has older ones. */
  more: boolean;
  reading: boolean;
  onOlder: () => void;
}

/** Intervals are drawn to at least this |ln ratio|, and to no more than the other. */
const LEAST_REACH = 0.05;
const MOST_REACH = 0.3;
/** Of a row with the name of its scenario and its outcomes, and of one without; CSS pixels. */
const [NAMED_HEIGHT, ROW_HEIGHT] = [89, 65];

const without = (set: ReadonlySet<string>, sha: string): Set<string> =>
  new Set([...set].filter((one) => one !== sha));
const flipped = (set: ReadonlySet<string>, sha: string): Set<string> =>
  set.has(sha) ? without(set, sha) : new Set([...set, sha]);

function List({ project, commits, nameScenarios, onShowAll, more, reading, onOlder }: ListProps) {
  const now = useNow();
  const navigate = useNavigate();
  const [marked, setMarked] = useState<string | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const order = commits.map((commit) => commit.sha);
  const cursor = useCursor(order);
  const step = (by: 1 | -1) => () => {
    const sha = cursor.next(by);
    if (sha) document.querySelector<HTMLElement>(`[data-commit="${sha}"]`)?.focus();
  };
  const compare = (one: string, other: string): void => {
    const pair = comparePair(one, other, order);
    if (pair) navigate({ to: "/p/$project/compare", params: { project }, search: pair });
  };
  const mark = (): void => {
    const { current } = cursor;
    if (current === undefined) return;
    if (marked !== null && marked !== current) compare(marked, current);
    else setMarked(marked === current ? null : current);
  };
  const forget = (): void => {
    setMarked(null);
    setChosen(new Set());
  };
  const open = (): void => {
    if (cursor.current !== undefined) setOpened(flipped(opened, cursor.current));
  };
  useKeys({ j: step(1), k: step(-1), c: mark, o: open, Escape: forget });

  if (commits.length === 0)
    return (
      <CenterState icon="same" title="No commit matches">
        <p>No commit of the default branch has this text, outcome and scenario.</p>
        <Button size="xs" variant="default" onClick={onShowAll}>
          Show all
        </Button>
      </CenterState>
    );
  const sizes = commits.flatMap((commit) =>
    commit.verdicts.map((verdict) => Math.abs(Math.log(verdict.ratio_cpp ?? 1)) * 1.2),
  );
  const reach = Math.min(Math.max(LEAST_REACH, ...sizes), MOST_REACH);
  const [one, other] = [...chosen];
  return (
    <div className="panel">
      <VirtualList
        items={commits}
        keyOf={(commit) => commit.sha}
        label="Commits, newest first"
        className="commits"
        rowHeight={nameScenarios ? NAMED_HEIGHT : ROW_HEIGHT}
        onEnd={onOlder}
      >
        {(commit, _index, place) => (
          <CommitRow
            key={commit.sha}
            project={project}
            commit={commit}
            now={now}
            reach={reach}
            nameScenarios={nameScenarios}
            marked={commit.sha === marked}
            chosen={chosen.has(commit.sha)}
            opened={opened.has(commit.sha)}
            place={place}
            onFocus={() => cursor.set(commit.sha)}
            onChoose={() => setChosen(new Set([...flipped(chosen, commit.sha)].slice(-2)))}
            onOpen={() => setOpened(flipped(opened, commit.sha))}
          />
        )}
      </VirtualList>
      {(more || reading) && (
        <div className="list-foot">
          <Button size="xs" variant="default" loading={reading} onClick={onOlder}>
            Show older commits
          </Button>
        </div>
      )}
      {one && (
        <section className="action-bar" aria-label="Chosen commits">
          <span>{other ? "2 commits chosen" : "1 commit chosen: choose another one to compare it with"}</span>
          <Button size="xs" disabled={!other} onClick={() => other && compare(one, other)}>
            Compare
          </Button>
          <Button size="xs" variant="default" onClick={() => setChosen(new Set())}>
            Clear
          </Button>
        </section>
      )}
    </div>
  );
}
