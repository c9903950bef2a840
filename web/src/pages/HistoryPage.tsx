// SPDX-License-Identifier: Apache-2.0
/** How the cost of a packet came to be: every metric over the commits, per stage and for the chain. */
import { SegmentedControl, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { scenariosQuery } from "../api/queries";
import type { ScenarioSummary } from "../api/types";
import { HistoryPanel } from "../components/HistoryPanel";
import { PageHead } from "../components/PageHead";
import { StageLegend } from "../components/StageLegend";
import { CenterState, Failed, Loading } from "../components/States";
import { useTitle } from "../components/useTitle";
import { CHAIN } from "../logic/palette";
import { chosen, currentScenario, HISTORY_METRICS, type HistorySearch, toggled } from "../logic/search";

const route = getRouteApi("/p/$project/history");

const METRIC_CHOICES = [
  { value: "all", label: "All" },
  { value: "cpp", label: "CPP" },
  { value: "ipp", label: "IPP" },
  { value: "eipc", label: "eIPC" },
  { value: "pps", label: "Rate" },
];
const SCALE_CHOICES = [
  { value: "absolute", label: "Absolute" },
  { value: "relative", label: "Relative" },
];
const VIEW_CHOICES = [
  { value: "chart", label: "Chart" },
  { value: "table", label: "Table" },
];

export function HistoryPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const { data: scenarios, error, refetch } = useQuery(scenariosQuery(project));
  useTitle("History", project);

  const scenario = scenarios && currentScenario(scenarios, search.scenario);
  if (scenarios === undefined || scenario === undefined)
    return (
      <>
        <PageHead title="History" />
        {scenarios === undefined ? (
          error ? (
            <Failed error={error} onRetry={refetch} />
          ) : (
            <Loading rows={4} height={90} />
          )
        ) : (
          <NoHistory />
        )}
      </>
    );
  return <Scenario project={project} scenario={scenario} scenarios={scenarios} search={search} />;
}

function NoHistory() {
  return (
    <CenterState icon="clock" title="No history yet">
      <p>The first measured commit starts it. How far its job is, the list of commits shows.</p>
    </CenterState>
  );
}

function describe(scenario: ScenarioSummary): string {
  const model = scenario.model === "rtc" ? "run to completion" : scenario.model;
  return `${model}, ${scenario.lcores} ${scenario.lcores === 1 ? "lcore" : "lcores"}, ${scenario.traffic}`;
}

interface ScenarioProps {
  project: string;
  scenario: ScenarioSummary;
  scenarios: readonly ScenarioSummary[];
  search: HistorySearch;
}

function Scenario({ project, scenario, scenarios, search }: ScenarioProps) {
  const navigate = useNavigate({ from: "/p/$project/history" });
  const set = (change: HistorySearch): void => {
    navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  };
  const stages = [CHAIN, ...scenario.stages.filter((stage) => stage !== CHAIN)];
  const shown = chosen(search.stages, stages);
  const metrics = search.metric ? [search.metric] : HISTORY_METRICS;
  return (
    <>
      <PageHead title={`History of ${scenario.name}`} under={describe(scenario)}>
        {scenarios.length > 1 && (
          <Select
            label="Scenario"
            size="xs"
            allowDeselect={false}
            data={scenarios.map((item) => item.name)}
            value={scenario.name}
            onChange={(name) => name && set({ scenario: name, stages: undefined, host_class: undefined })}
          />
        )}
        {scenario.host_classes.length > 1 && (
          <Select
            label="Host class"
            size="xs"
            placeholder="Of the newest run"
            clearable
            data={scenario.host_classes}
            value={search.host_class ?? null}
            onChange={(name) => set({ host_class: name ?? undefined })}
          />
        )}
        <SegmentedControl
          aria-label="Metric"
          size="xs"
          data={METRIC_CHOICES}
          value={search.metric ?? "all"}
          onChange={(value) => set({ metric: HISTORY_METRICS.find((metric) => metric === value) })}
        />
        <SegmentedControl
          aria-label="Scale"
          size="xs"
          data={SCALE_CHOICES}
          value={search.scale ?? "absolute"}
          onChange={(value) => set({ scale: value === "relative" ? "relative" : undefined })}
        />
        <SegmentedControl
          aria-label="View"
          size="xs"
          data={VIEW_CHOICES}
          value={search.view ?? "chart"}
          onChange={(value) => set({ view: value === "table" ? "table" : undefined })}
        />
      </PageHead>
      <div className="history-legend">
        <StageLegend
          stages={stages}
          shown={shown}
          onToggle={(stage) => set({ stages: toggled(search.stages, stage, stages) })}
        />
        {search.view !== "table" && (
          <span className="soft">
            Bands: intervals of the rounds. A click opens a commit's alert, or compares it with its base.
          </span>
        )}
      </div>
      <div className={metrics.length > 1 && search.view !== "table" ? "panel-grid" : ""}>
        {metrics.map((metric) => (
          <HistoryPanel
            key={metric}
            project={project}
            scenario={scenario.name}
            metric={metric}
            hostClass={search.host_class}
            stages={stages}
            shown={shown}
            scale={search.scale ?? "absolute"}
            asTable={search.view === "table"}
            alone={metrics.length === 1}
          />
        ))}
      </div>
    </>
  );
}
