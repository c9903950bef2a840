// SPDX-License-Identifier: Apache-2.0
/** Two commits side by side: what changed, where, why, and what that rests on. */
import { ActionIcon, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate, useNavigate } from "@tanstack/react-router";
import { commitQuery, commitsQuery, compareQuery, scenariosQuery } from "../api/queries";
import type { Comparison, ScenarioSummary } from "../api/types";
import { CheckList } from "../components/CheckList";
import { CommitPicker } from "../components/CommitPicker";
import { DecompositionPanel } from "../components/DecompositionPanel";
import { HostFacts } from "../components/HostFacts";
import { Icon } from "../components/Icon";
import { NoteList } from "../components/NoteList";
import { PageHead } from "../components/PageHead";
import { Panel } from "../components/Panel";
import { RoundsPlot } from "../components/RoundsPlot";
import { StageTable } from "../components/StageTable";
import { CenterState, Failed, Loading } from "../components/States";
import { useTitle } from "../components/useTitle";
import { VerdictBanner } from "../components/VerdictBanner";
import { type CompareSearch, currentScenario } from "../logic/search";
import { judgedChain } from "../logic/verdict";

const route = getRouteApi("/p/$project/compare");
/** Commits offered in the pickers: the newest so many. */
const OFFERED = 500;

export function ComparePage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: scenarios, isPending } = useQuery(scenariosQuery(project));
  const scenario = search.scenario ?? currentScenario(scenarios ?? [], undefined)?.name;
  useTitle("Compare", project);
  return (
    <>
      <PageHead title="Compare two commits" />
      <Pickers project={project} search={search} scenarios={scenarios ?? []} scenario={scenario} />
      {isPending ? <Loading rows={8} /> : <Chosen project={project} search={{ ...search, scenario }} />}
    </>
  );
}

interface Props {
  project: string;
  search: CompareSearch;
}

interface PickersProps extends Props {
  scenarios: readonly ScenarioSummary[];
  /** The one compared: of the address, or chosen for it. */
  scenario: string | undefined;
}

function Pickers({ project, search, scenarios, scenario }: PickersProps) {
  const navigate = useNavigate({ from: "/p/$project/compare" });
  const { data: commits = [] } = useQuery(commitsQuery(project, undefined, OFFERED));
  const { base, head } = search;
  const set = (change: CompareSearch): void => {
    navigate({ search: (old) => ({ ...old, ...change }) });
  };
  return (
    <div className="pickers">
      <div>
        <CommitPicker label="Base" commits={commits} value={base} onChange={(sha) => set({ base: sha })} />
      </div>
      <ActionIcon
        variant="default"
        size={36}
        aria-label="Swap base and head"
        disabled={!base || !head}
        onClick={() => base && head && set({ base: head, head: base })}
      >
        <Icon name="swap" size={16} />
      </ActionIcon>
      <div className="picker-row">
        <CommitPicker label="Head" commits={commits} value={head} onChange={(sha) => set({ head: sha })} />
      </div>
      <div className="picker-row">
        <Select
          label="Scenario"
          placeholder="Choose"
          allowDeselect={false}
          data={scenarios.map((item) => item.name)}
          value={scenario ?? null}
          onChange={(name) => name && set({ scenario: name })}
        />
      </div>
    </div>
  );
}

function Chosen({ project, search }: Props) {
  const { base, head, scenario } = search;
  if (head === undefined)
    return (
      <CenterState icon="swap" title="Choose a base and a head">
        <p>
          Or press Enter on a commit in the list to compare it with its base, and c on two commits to compare
          them.
        </p>
      </CenterState>
    );
  if (base === undefined) return <WithItsBase project={project} head={head} scenario={scenario} />;
  return <Compared project={project} base={base} head={head} scenario={scenario} />;
}

/** A link that names only the head is completed with the base it was measured against. */
function WithItsBase({
  project,
  head,
  scenario,
}: {
  project: string;
  head: string;
  scenario: string | undefined;
}) {
  const { data: commit, error, refetch } = useQuery(commitQuery(project, head));
  if (commit === undefined) return error ? <Failed error={error} onRetry={refetch} /> : <Loading />;
  const base = commit.base_sha ?? commit.parent_sha;
  if (base === null)
    return (
      <CenterState icon="swap" title="This commit has no base">
        <p>It is the first of the history. Choose a commit to compare it with.</p>
      </CenterState>
    );
  const search = { base, head, ...(scenario ? { scenario } : {}) };
  return <Navigate to="/p/$project/compare" params={{ project }} search={search} replace />;
}

interface ComparedProps {
  project: string;
  base: string;
  head: string;
  scenario: string | undefined;
}

function Compared({ project, base, head, scenario }: ComparedProps) {
  const { data, error, refetch } = useQuery(compareQuery(project, base, head, scenario));
  if (error) return <Failed error={error} onRetry={refetch} />;
  if (data === undefined) return <Loading rows={8} />;
  return <Result project={project} comparison={data} />;
}

function Result({ project, comparison }: { project: string; comparison: Comparison }) {
  const { verdict, chain, stages, rounds, checks, host, notes } = comparison;
  const compared = `${comparison.base.short_sha} and ${comparison.head.short_sha} were measured in runs of their own`;
  return (
    <>
      <VerdictBanner project={project} verdict={verdict} chain={chain} without={`No verdict: ${compared}.`}>
        {comparison.run_ids.map((runId) => (
          <Link key={runId} to="/p/$project/runs/$runId" params={{ project, runId }} className="tag">
            <Icon name="link" size={12} /> run <span className="mono">{runId.slice(0, 8)}</span>
          </Link>
        ))}
      </VerdictBanner>
      {stages.length > 0 && (
        <Panel
          title="Where the cycles went"
          aside={<span className="soft">per packet, stages in the order packets pass</span>}
        >
          <StageTable
            chain={chain}
            chainName={judgedChain(verdict)}
            stages={stages}
            culprits={verdict?.culprit_stages ?? []}
          />
        </Panel>
      )}
      {comparison.decomposition && <DecompositionPanel of={comparison.decomposition} />}
      {rounds.base.length + rounds.head.length + rounds.head_as_base.length > 0 && (
        <Panel title="Rounds" aside={<span className="soft">CPP of the chain, cycles/packet</span>}>
          <RoundsPlot rounds={rounds} />
        </Panel>
      )}
      <div className="panel-grid">
        {checks.length > 0 && (
          <Panel title="Checks">
            <CheckList checks={checks} />
          </Panel>
        )}
        {host && (
          <Panel title="Host">
            <HostFacts host={host} />
          </Panel>
        )}
      </div>
      {notes.length > 0 && (
        <Panel title="Notes">
          <NoteList notes={notes} />
        </Panel>
      )}
    </>
  );
}
