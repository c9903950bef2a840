// SPDX-License-Identifier: Apache-2.0
/** Two sides: what changed, where, why, down to the line, and what that rests on. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate, useNavigate } from "@tanstack/react-router";
import { ApiError } from "../../shared/api/client";
import { compareQuery, revisionsQuery } from "../../shared/api/compare";
import { commitQuery, projectQuery, scenariosQuery } from "../../shared/api/queries";
import type { CommitDetail, Comparison, Verdict } from "../../shared/api/types";
import { functionKey } from "../../shared/logic/code/codeRows";
import type { CompareSearch } from "../../shared/logic/run/compareSearch";
import { kindOf } from "../../shared/logic/run/kinds";
import {
  axisOf,
  isSha,
  pairText,
  type Sides,
  shownBase,
  sidesOf,
  swapped,
} from "../../shared/logic/run/sides";
import { judgedChain } from "../../shared/logic/run/verdict";
import { currentScenario } from "../../shared/logic/search";
import { fileName } from "../../shared/logic/text/csv";
import { CommitAlerts } from "../../shared/ui/alerts/CommitAlerts";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { Icon } from "../../shared/ui/Icon";
import { MeasurePair } from "../../shared/ui/jobs/MeasurePair";
import { FirstStepsLink } from "../../shared/ui/links/FirstStepsLink";
import { NoteList } from "../../shared/ui/NoteList";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { CheckList } from "../../shared/ui/run/CheckList";
import { HostFacts } from "../../shared/ui/run/HostFacts";
import { MetricPanel } from "../../shared/ui/run/MetricPanel";
import { NextSteps } from "../../shared/ui/run/NextSteps";
import { OutcomePanel } from "../../shared/ui/run/OutcomePanel";
import { RatesPanels } from "../../shared/ui/run/RatesPanels";
import { RoundsPanel } from "../../shared/ui/run/RoundsPanel";
import { StagePanel } from "../../shared/ui/run/StagePanel";
import { VerdictBanner } from "../../shared/ui/run/VerdictBanner";
import { ServerText } from "../../shared/ui/ServerText";
import { CenterState, Failed, Loading } from "../../shared/ui/States";
import { CodePanels } from "./CodePanel";
import { DecompositionPanel } from "./DecompositionPanel";
import { LinkedPanel } from "./LinkedPanel";
import { RecentPairs, useRemembered } from "./RecentPairs";
import { ScenariosPanel } from "./ScenariosPanel";
import { SidePickers } from "./SidePickers";

const route = getRouteApi("/p/$project/compare");

export function ComparePage() {
  const { project } = route.useParams();
  const address = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project/compare" });
  const { data: scenarios, isPending } = useQuery(scenariosQuery(project));
  const scenario = address.scenario ?? usualScenario(address, scenarios ?? []);
  const search = { ...address, scenario };
  useTitle("Compare", project);
  const set = (next: CompareSearch): void => {
    navigate({ search: next, resetScroll: false });
  };
  return (
    <>
      <PageHead
        title="Compare"
        under="Two commits, or one on two hosts, in two execution models or feature sets"
      />
      <SidePickers project={project} search={search} scenarios={scenarios ?? []} onChange={set} />
      <RecentPairs project={project} shown={search} />
      {isPending ? <Loading rows={8} /> : <Chosen project={project} search={search} onChange={set} />}
    </>
  );
}

/** Models and feature sets are chosen by scenario, so none is assumed there. */
const usualScenario = (search: CompareSearch, scenarios: Parameters<typeof currentScenario>[0]) =>
  ["commit", "host"].includes(axisOf(search)) ? currentScenario(scenarios, undefined)?.name : undefined;

interface Props {
  project: string;
  search: CompareSearch;
  onChange: (search: CompareSearch) => void;
}

function Chosen({ project, search, onChange }: Props) {
  const { head, scenario } = search;
  const sides = sidesOf(search);
  if (sides) return <Compared project={project} sides={sides} search={search} onChange={onChange} />;
  if (axisOf(search) === "commit" && head !== undefined)
    return <WithItsBase project={project} head={head} scenario={scenario} />;
  return (
    <CenterState icon="swap" title={TO_CHOOSE[axisOf(search)][0]}>
      <p>{TO_CHOOSE[axisOf(search)][1]}</p>
      {axisOf(search) === "commit" && <Newest project={project} />}
    </CenterState>
  );
}

const TO_CHOOSE: Record<ReturnType<typeof axisOf>, [string, string]> = {
  commit: [
    "Choose a base and a head",
    "In the list of commits, Enter compares one with its base, and the key c marks two to compare.",
  ],
  host: ["Choose a commit and two hosts", "Hosts are offered that have measured the commit."],
  model: ["Choose a commit and two scenarios", "One in each execution model, as the commit was measured."],
  features: ["Choose a commit and two scenarios", "One with each feature set, as the commit was measured."],
};

function Newest({ project }: { project: string }) {
  const { data: about } = useQuery(projectQuery(project));
  if (about === undefined) return null;
  if (about.commits === 0) return <FirstStepsLink project={project} />;
  return (
    <Link to="/p/$project/compare" params={{ project }} search={{ head: about.default_branch }}>
      The newest commit of {about.default_branch} with its base
    </Link>
  );
}

interface HeadProps {
  project: string;
  head: string;
  scenario: string | undefined;
}

/** A link that names only the head is completed with the base of the verdict that lists show of it. */
function WithItsBase({ project, head, scenario }: HeadProps) {
  const named = !isSha(head);
  const revisions = useQuery({ ...revisionsQuery(project, head), enabled: named });
  const found = revisions.isPlaceholderData ? undefined : revisions.data;
  const sha = named ? found?.find((one) => one.kind !== "commit" && one.name === head)?.sha : head;
  const commit = useQuery({ ...commitQuery(project, sha ?? ""), enabled: sha !== undefined });
  if (commit.data !== undefined) return <ToItsBase {...{ project, scenario }} commit={commit.data} />;
  const { error, refetch } = sha === undefined ? revisions : commit;
  if (error) return <Failed error={error} onRetry={refetch} />;
  if (found === undefined || sha !== undefined) return <Loading />;
  return (
    <CenterState icon="swap" title={`There is no branch or tag ${head}`}>
      <p>Choose a branch, a tag or a commit above.</p>
    </CenterState>
  );
}

function ToItsBase({ project, commit, scenario }: Omit<HeadProps, "head"> & { commit: CommitDetail }) {
  const base = shownBase(commit, scenario);
  if (base === null)
    return (
      <CenterState icon="swap" title="This commit has no base">
        <p>This is the first commit of the history. Choose a commit to compare it with.</p>
      </CenterState>
    );
  const search = { base, head: commit.sha, ...(scenario ? { scenario } : {}) };
  return <Navigate to="/p/$project/compare" params={{ project }} search={search} replace />;
}

interface ComparedProps extends Props {
  sides: Sides;
}

function Compared({ project, sides, search, onChange }: ComparedProps) {
  const { data, error, refetch } = useQuery(compareQuery(project, sides));
  if (data !== undefined)
    return <Result project={project} comparison={data} sides={sides} search={search} onChange={onChange} />;
  const oneCommit = axisOf(search) === "commit" && sides.base === sides.head;
  if (error instanceof ApiError && error.code === "not_measured" && oneCommit)
    return (
      <CenterState icon="swap" title="Both sides are the same commit">
        <p>Choose another base or head.</p>
      </CenterState>
    );
  if (error instanceof ApiError && error.code === "not_measured")
    return (
      <CenterState icon="inconclusive" title="Not measured yet">
        <p>
          <ServerText>{error.message}</ServerText>
        </p>
        {axisOf(search) === "commit" && (
          <MeasurePair
            key={pairText(search)}
            project={project}
            base={sides.base}
            head={sides.head}
            scenario={sides.scenario}
          />
        )}
      </CenterState>
    );
  return error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={8} />;
}

function Result({
  project,
  comparison,
  sides,
  search,
  onChange,
}: ComparedProps & { comparison: Comparison }) {
  const { verdict, chain, stages, checks, host, notes } = comparison;
  const kind = kindOf(comparison.scenario);
  const change = (part: CompareSearch): void => onChange({ ...search, ...part });
  useRemembered(project, search);
  const turned = !comparison.paired && comparison.run_ids.length === 1;
  return (
    <>
      <VerdictBanner
        project={project}
        verdict={verdict}
        chain={chain}
        run={comparison.paired ? comparison.run_ids[0] : undefined}
        without={`No verdict: ${turned ? turnedAround(comparison) : apart(comparison)}.`}
      >
        {comparison.run_ids.map((runId) => (
          <Link key={runId} to="/p/$project/runs/$runId" params={{ project, runId }} className="tag">
            <Icon name="link" size={12} /> run <span className="mono">{runId.slice(0, 8)}</span>
          </Link>
        ))}
        <MainContributor verdict={verdict} onOpen={(fn) => change({ fn })} />
        <CommitAlerts project={project} sha={comparison.head.sha} />
        {turned && (
          <Link to="/p/$project/compare" params={{ project }} search={swapped(search)} className="tag">
            <Icon name="swap" size={12} /> as it was judged
          </Link>
        )}
      </VerdictBanner>
      {verdict && (
        <NextSteps
          project={project}
          display={verdict.display}
          checks={checks}
          base={comparison.base.sha}
          head={comparison.head.sha}
          scenario={comparison.scenario}
        />
      )}
      {axisOf(search) === "commit" && (
        <ScenariosPanel
          project={project}
          base={comparison.base.sha}
          head={comparison.head.sha}
          scenario={comparison.scenario}
        />
      )}
      {!comparison.paired && <LinkedPanel changes={comparison.linked} />}
      {!comparison.paired && !turned && axisOf(search) === "commit" && (
        <Panel title="Measured side by side, the two have a verdict">
          <MeasurePair
            key={pairText(search)}
            project={project}
            base={comparison.base.sha}
            head={comparison.head.sha}
            scenario={comparison.scenario}
          />
        </Panel>
      )}
      <OutcomePanel verdict={verdict} />
      <MetricPanel verdict={verdict} kind={kind} />
      {kind !== "cycles" && comparison.paired && comparison.run_ids[0] && (
        <RatesPanels runId={comparison.run_ids[0]} search={search} onChange={change} />
      )}
      {chain && (
        <CodePanels project={project} sides={sides} search={search} verdict={verdict} onChange={change} />
      )}
      {stages.length > 0 && (
        <StagePanel
          title="Where the cycles went"
          name={fileName("stages", comparison.base.short_sha, comparison.head.short_sha)}
          chain={chain}
          chainName={judgedChain(verdict)}
          stages={stages}
          culprits={verdict?.culprit_stages ?? []}
          notes={comparison.stage_notes}
          about={comparison.interval_note}
        />
      )}
      {comparison.decomposition && <DecompositionPanel of={comparison.decomposition} />}
      {kind === "cycles" && (
        <RoundsPanel
          name={fileName("rounds", comparison.base.short_sha, comparison.head.short_sha, comparison.scenario)}
          rounds={comparison.rounds}
          paired={comparison.paired}
          chain={chain}
          drawn={search.rounds ?? "ratio"}
          onDrawn={(drawn) => change({ rounds: drawn === "cpp" ? "cpp" : undefined })}
        />
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

interface ContributorProps {
  verdict: Verdict | null;
  onOpen: (fn: string) => void;
}

/** The stage and the function that most of a change is in; pressed, its lines are opened. */
function MainContributor({ verdict, onOpen }: ContributorProps) {
  if (verdict === null || !["regressed", "improved"].includes(verdict.display)) return null;
  const pays = verdict.functions?.[0];
  const stage = verdict.culprit_stages?.[0];
  if (pays)
    return (
      <button type="button" className="tag go" onClick={() => onOpen(functionKey(pays))}>
        most of it: {[pays.stage, pays.name].filter(Boolean).join(", ")}
      </button>
    );
  return stage ? <span className="tag">most of it: {stage}</span> : null;
}

const turnedAround = ({ base, head }: Comparison): string =>
  `one run measured both, and judged ${base.short_sha} against ${head.short_sha}`;

/** Which runs were put together, as far as they differ. */
function apart({ base, head, sides }: Comparison): string {
  const of = (commit: Comparison["base"], side: Comparison["sides"]["base"]): string =>
    [
      commit.short_sha,
      sides.base.scenario === sides.head.scenario ? "" : `in ${side.scenario}`,
      sides.base.host === sides.head.host ? "" : `on ${side.host}`,
    ]
      .filter(Boolean)
      .join(" ");
  return `${of(base, sides.base)} and ${of(head, sides.head)} were measured in runs of their own`;
}
