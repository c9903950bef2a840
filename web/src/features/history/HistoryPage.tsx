// SPDX-License-Identifier: Apache-2.0
/** How the cost of a packet came to be: every metric over the commits, per stage and for the chain. */
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { type LinesFilter, scenariosQuery } from "../../shared/api/queries";
import type { ScenarioSummary } from "../../shared/api/types";
import { StageLegend } from "../../shared/charts/StageLegend";
import { CHAIN } from "../../shared/logic/charts/palette";
import { FUNCTION_METRICS, functionsOf, labelOf } from "../../shared/logic/code/functions";
import { commonKind, mainMetricsOf } from "../../shared/logic/run/kinds";
import { modelWord } from "../../shared/logic/run/models";
import { chosen, chosenScenarios, LONGEST, NO_STAGES, toggled } from "../../shared/logic/search";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { FirstStepsLink } from "../../shared/ui/links/FirstStepsLink";
import { PageHead } from "../../shared/ui/PageHead";
import { CenterState, Failed, Loading } from "../../shared/ui/States";
import { useHistoryLines } from "./api";
import { HistoryControls } from "./HistoryControls";
import { HistoryPanels } from "./HistoryPanels";
import { LinesNote, unlinked } from "./LinesNote";
import { LinksPanel } from "./LinksPanel";
import { type HistorySearch, withFunctions } from "./search";
import type { HistoryLines } from "./unpack";

const route = getRouteApi("/p/$project/history");

export function HistoryPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: scenarios, error, refetch } = useQuery(scenariosQuery(project));
  useTitle("History", project);
  if (scenarios && scenarios.length > 0)
    return <Measured project={project} scenarios={scenarios} search={search} />;
  return (
    <>
      <PageHead title="History" />
      {scenarios ? (
        <NoHistory project={project} />
      ) : error ? (
        <Failed error={error} onRetry={refetch} />
      ) : (
        <Loading rows={4} height={90} />
      )}
    </>
  );
}

function NoHistory({ project }: { project: string }) {
  return (
    <CenterState icon="clock" title="No history yet">
      <p>The first measured commit starts the history. The list of commits shows the progress of its job.</p>
      <FirstStepsLink project={project} />
    </CenterState>
  );
}

function describe(scenario: ScenarioSummary): string {
  return `${modelWord(scenario.model)}, ${scenario.lcores} ${scenario.lcores === 1 ? "lcore" : "lcores"}, ${scenario.traffic}${loadText(scenario.load)}`;
}

const loadText = (load: string) => (load === "closed" || load === "" ? "" : `, load ${load}`);

interface Props {
  project: string;
  scenarios: readonly ScenarioSummary[];
  search: HistorySearch;
}

function Measured({ project, scenarios, search }: Props) {
  const navigate = useNavigate({ from: "/p/$project/history" });
  const set = (change: HistorySearch): void => {
    navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  };
  const picked = chosenScenarios(scenarios, search.scenario);
  const branches = search.branch?.split(",") ?? [];
  const one = picked.length === 1 && branches.length < 2;
  const stages = [...new Set([CHAIN, ...picked.flatMap((scenario) => scenario.stages)])];
  const functions = functionsOf(search.functions);
  const labels = functions.map(labelOf);
  const alone = functions.length > 0 && search.stages === NO_STAGES;
  const shown = alone ? [] : search.stages === undefined && !one ? [CHAIN] : chosen(search.stages, stages);
  // No stages in the address mean the chain alone where several lines are shown.
  const every = one || shown.length === 1 ? undefined : stages.join(",");
  const names = picked.map((scenario) => scenario.name);
  const unknown = (search.scenario?.split(",") ?? []).filter(
    (name) => !scenarios.some((scenario) => scenario.name === name),
  );
  const selectedStages = one && functions.length === 0 ? [] : one && !alone ? stages : shown;
  const requested = useRequested(names, branches, selectedStages, search);
  const kindNames = names.join();
  const metrics = useMemo(
    () => (search.metric ? [search.metric] : mainMetrics(kindNames.split(","), functions.length > 0, alone)),
    [search.metric, kindNames, functions.length, alone],
  );
  const { data: lines } = useHistoryLines(
    project,
    metrics[0] ?? "cpp",
    metrics,
    requested,
    search.values ?? "linked",
  );
  const absent = one && functions.length === 0 && lines ? absentStages(lines, stages) : undefined;
  const toggle = (name: string): void => {
    const key = functions[labels.indexOf(name)];
    if (key)
      set(
        withFunctions(
          search,
          functions.filter((item) => item !== key),
        ),
      );
    else if (functions.length > 0 && shown.join() === name) set({ stages: NO_STAGES });
    else set({ stages: toggled(shown.join(","), name, stages) ?? every });
  };
  return (
    <>
      <PageHead
        title={`History of ${names.length === 1 ? names[0] : `${names.length} scenarios`}`}
        under={picked.length === 1 && picked[0] ? describe(picked[0]) : names.join(", ")}
      />
      {unknown.length > 0 && (
        <p role="status" className="held">
          There is no scenario {unknown.join(", ")} in this project. The page shows {names.join(", ")}.
        </p>
      )}
      <HistoryControls
        project={project}
        scenarios={scenarios}
        shown={picked}
        branches={branches}
        search={search}
        set={set}
      />
      <div className="history-legend">
        <StageLegend
          stages={[...stages, ...labels]}
          shown={[...shown, ...labels]}
          plain={!one}
          label={functions.length > 0 ? "Stages and functions shown" : "Stages shown"}
          {...(absent ? { absent } : {})}
          onToggle={toggle}
          onSolo={(name) => {
            if (stages.includes(name)) set({ stages: search.stages === name ? undefined : name });
          }}
        />
        {search.scale === "relative" && (
          <Against project={project} requested={requested} search={search} metrics={metrics} set={set} />
        )}
        <LinesNote
          project={project}
          metrics={metrics}
          requested={requested}
          values={search.values ?? "linked"}
        />
      </div>
      <HistoryPanels
        project={project}
        metrics={metrics}
        requested={requested}
        stages={[...stages, ...labels]}
        shown={[...shown, ...labels]}
        scale={search.scale ?? "absolute"}
        dated={search.axis === "dates"}
        values={search.values ?? "linked"}
        against={search.against}
        asTable={search.view === "table"}
        page={Number(search.page ?? 1)}
        onPage={(page) => set({ page: page > 1 ? String(page) : undefined })}
        address={{ from: search.from, to: search.to }}
        write={({ from, to }) => set({ from, to })}
      />
      {picked.length === 1 && picked[0] && lines && !unlinked(lines) && (
        <LinksPanel project={project} scenario={picked[0].name} />
      )}
    </>
  );
}

/** Stages without any value in these lines. */
const absentStages = ({ lines }: HistoryLines, stages: readonly string[]): string[] =>
  stages.filter(
    (name) =>
      !lines.some((line) =>
        line.stages.some((one) => one.stage === name && one.value.some((of) => of !== null)),
      ),
  );

/** The same object as long as it asks for the same. */
function useRequested(
  scenarios: readonly string[],
  branches: readonly string[],
  stages: readonly string[],
  { functions, host_class, last }: HistorySearch,
): LinesFilter {
  const [all, on, of] = [scenarios.join(), branches.join(), stages.join()];
  return useMemo(() => {
    const listed = (names: string): string[] => names.split(",").filter(Boolean);
    return {
      scenarios: listed(all),
      branches: listed(on),
      stages: listed(of),
      functions: functionsOf(functions),
      hostClass: host_class,
      longest: last === LONGEST,
    };
  }, [all, on, of, functions, host_class, last]);
}

/** Without one in the address. */
const mainMetrics = (scenarios: readonly string[], functions: boolean, alone: boolean): readonly string[] => {
  if (alone) return FUNCTION_METRICS;
  const main = mainMetricsOf(commonKind(scenarios));
  return functions ? [...new Set([...main, ...FUNCTION_METRICS])] : main;
};

interface AgainstProps {
  project: string;
  requested: LinesFilter;
  search: HistorySearch;
  metrics: readonly string[];
  set: (change: HistorySearch) => void;
}

const SHORT = 10;
const MOST_OFFERED = 50;

/** The commit that is 0 per cent. */
function Against({ project, requested, search, metrics, set }: AgainstProps) {
  const { data: lines } = useHistoryLines(
    project,
    metrics[0] ?? "cpp",
    metrics,
    requested,
    search.values ?? "linked",
  );
  const offered = useMemo(() => {
    if (lines === undefined) return [];
    const tags = new Map(lines.releases.map((one) => [one.at, one.name]));
    const all = lines.commits.sha.map((sha, place) => ({
      value: sha.slice(0, SHORT),
      label: [tags.get(place), sha.slice(0, 7), lines.commits.subject[place]].filter(Boolean).join(" "),
    }));
    return all.reverse();
  }, [lines]);
  const { against } = search;
  const chosen = against && offered.find(({ value }) => value.startsWith(against.slice(0, SHORT)))?.value;
  const elsewhere =
    against && !chosen ? [{ value: against, label: `${against.slice(0, 7)}, not shown: the first` }] : [];
  return (
    <Select
      aria-label="Relative to"
      placeholder="Relative to the first commit"
      size="xs"
      w={260}
      clearable
      searchable
      limit={MOST_OFFERED}
      data={[...elsewhere, ...offered]}
      value={chosen ?? against ?? null}
      onChange={(sha) => set({ against: sha ?? undefined })}
    />
  );
}
