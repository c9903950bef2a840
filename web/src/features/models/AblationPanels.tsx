// SPDX-License-Identifier: Apache-2.0
import type { Ablation, Compared, Contribution, Variant } from "../../shared/api/types";
import type { VariantChain, VariantShown } from "../../shared/logic/run/variants";
import { fileName } from "../../shared/logic/text/csv";
import { variantsFile } from "../../shared/logic/text/figureFiles";
import { CommitLink } from "../../shared/ui/links/CommitLink";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { AblationChart } from "./AblationChart";
import { ExperimentPanel } from "./ExperimentPanel";

/** Variants off and on: first what was measured side by side, then what scenarios of like make tell. */
export function AblationPanels({ project, ablation }: { project: string; ablation: Ablation }) {
  const commit = <CommitLink project={project} commit={ablation.commit} short />;
  return (
    <>
      {ablation.experiments.map(({ experiment, host_class, result }) => (
        <ExperimentPanel
          key={experiment}
          title="Ablation, side by side"
          experiment={experiment}
          commit={commit}
          hostClass={host_class}
          result={result}
          rows={() => variantsFile(result.contributions.map(ofContribution))}
        >
          <AblationChart
            label={`Ablation of experiment ${experiment}`}
            variants={result.contributions.map(ofContribution)}
          />
        </ExperimentPanel>
      ))}
      <SavedPanel
        title="Variants, scenario by scenario"
        name={fileName(project, "variants", ablation.commit.short_sha)}
        what="variants of scenarios"
        rows={ablation.variants.length > 0 ? () => variantsFile(ablation.variants.map(ofVariant)) : undefined}
        pictured
        aside={<span className="soft">on {commit}; not measured side by side</span>}
      >
        {ablation.variants.length > 0 ? (
          <AblationChart label="Variants of scenarios" variants={ablation.variants.map(ofVariant)} />
        ) : (
          <p className="soft">
            No scenario's name continues another's that is alike in features, model, lcores, traffic and load
            (such as sfc_a_flow_cache and sfc_a).
          </p>
        )}
      </SavedPanel>
    </>
  );
}

const ofContribution = (one: Contribution): VariantShown => ({
  name: one.name,
  tuning: one.tuning,
  chains: one.chains.map(ofCompared),
  reach: one.reach,
  harms: one.harms,
});

const ofCompared = (one: Compared): VariantChain => ({
  chain: one.chain,
  off: one.base_variant,
  on: one.head_variant,
  cppOff: one.base.cpp,
  cppOn: one.head.cpp,
  ppsOff: one.base_pps,
  ppsOn: one.head_pps,
  ratio: one.ratio_cpp,
  low: one.low,
  high: one.high,
});

const ofVariant = (variant: Variant): VariantShown => ({
  name: variant.name,
  tuning: null,
  chains: variant.on.map((one) => ({
    chain: one.off,
    off: one.off,
    on: one.on,
    cppOff: one.off_figures.cpp?.value ?? null,
    cppOn: one.on_figures.cpp?.value ?? null,
    ppsOff: one.off_figures.pps?.value ?? null,
    ppsOn: one.on_figures.pps?.value ?? null,
    ratio: one.ratio_cpp,
    low: one.low,
    high: one.high,
  })),
  reach: variant.reach,
  harms: variant.harms,
});
