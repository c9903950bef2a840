// SPDX-License-Identifier: Apache-2.0
import type { MeasuredModel, Models, ScenarioModel } from "../../shared/api/types";
import type { ModelFigures } from "../../shared/logic/run/models";
import { fileName } from "../../shared/logic/text/csv";
import { modelsFile } from "../../shared/logic/text/figureFiles";
import { CommitLink } from "../../shared/ui/links/CommitLink";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { ExperimentPanel } from "./ExperimentPanel";
import { ModelTable } from "./ModelTable";

/** Chains under their models: first what was measured side by side, then scenario by scenario. */
export function ModelPanels({ project, models }: { project: string; models: Models }) {
  const commit = <CommitLink project={project} commit={models.commit} short />;
  return (
    <>
      {models.experiments.map(({ experiment, host_class, result }) => (
        <ExperimentPanel
          key={experiment}
          title="Execution models, side by side"
          experiment={experiment}
          commit={commit}
          hostClass={host_class}
          result={result}
          rows={() => modelsFile(result.rows.map(ofExperiment))}
        >
          <ModelTable label={`Models of experiment ${experiment}`} rows={result.rows.map(ofExperiment)} />
        </ExperimentPanel>
      ))}
      <SavedPanel
        title="Execution models, scenario by scenario"
        name={fileName(project, "models", models.commit.short_sha)}
        what="models of scenarios"
        rows={models.rows.length > 0 ? () => modelsFile(models.rows.map(ofScenario)) : undefined}
        pictured
        aside={<span className="soft">on {commit}; not measured side by side</span>}
      >
        {models.rows.length > 0 ? (
          <ModelTable label="Models of scenarios" rows={models.rows.map(ofScenario)} />
        ) : (
          <p className="soft">No scenario was measured at this commit.</p>
        )}
      </SavedPanel>
    </>
  );
}

const ofExperiment = (row: MeasuredModel): ModelFigures => ({
  chain: row.chain,
  where: "",
  model: row.model,
  cpp: row.figure.cpp,
  ipp: row.figure.ipp ?? null,
  eipc: row.figure.eipc ?? null,
  pps: row.pps,
  ratio: row.ratio_cpp,
  low: row.low,
  high: row.high,
  note: "",
});

function ofScenario(row: ScenarioModel): ModelFigures {
  const of = (metric: string): number | null => row.figures[metric]?.value ?? null;
  const lcores = `${row.lcores} ${row.lcores === 1 ? "lcore" : "lcores"}`;
  return {
    chain: row.chain,
    where: `${row.traffic} ${row.host_class}`,
    model: row.model,
    cpp: of("cpp"),
    ipp: of("ipp"),
    eipc: of("eipc"),
    pps: of("pps"),
    ratio: row.ratio_cpp,
    low: row.low,
    high: row.high,
    note: `${row.scenario}, ${lcores}, ${row.host_class}`,
  };
}
