// SPDX-License-Identifier: Apache-2.0
/** One commit: chains under their execution models, and what each variant contributes to which chains. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { ApiError } from "../../shared/api/client";
import { ablationQuery, modelsQuery } from "../../shared/api/features";
import { commitsQuery } from "../../shared/api/queries";
import type { Ablation, Models } from "../../shared/api/types";
import { ExperimentsPanel } from "../../shared/ui/experiments/ExperimentsPanel";
import { CommitPicker } from "../../shared/ui/fields/CommitPicker";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { PageHead } from "../../shared/ui/PageHead";
import { Failed, Loading } from "../../shared/ui/States";
import { AblationPanels } from "./AblationPanels";
import { ModelPanels } from "./ModelPanels";
import { ModelsTabs } from "./ModelsTabs";
import { NothingMeasured } from "./NothingMeasured";
import { RatesPanel } from "./RatesPanel";

const route = getRouteApi("/p/$project/models");
const OFFERED = 500;

export function ModelsPage() {
  const { project } = route.useParams();
  const { commit } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project/models" });
  const { data: commits = [] } = useQuery(commitsQuery(project, undefined, OFFERED));
  const { data: models, error, refetch } = useQuery(modelsQuery(project, commit));
  const { data: ablation } = useQuery(ablationQuery(project, commit));
  useTitle("Models", project);
  const missing = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHead title="Models and variants" under="Side by side, on one commit.">
        <CommitPicker
          label="Commit"
          commits={commits}
          value={commit ?? models?.commit.sha}
          onChange={(sha) => navigate({ search: { commit: sha } })}
        />
      </PageHead>
      <ModelsTabs project={project} />
      {models && <Shown project={project} models={models} ablation={ablation} />}
      {!models && missing && (
        <NothingMeasured project={project} title="Nothing to compare" says={error.message} />
      )}
      {!models && !missing && (error ? <Failed error={error} onRetry={refetch} /> : <Loading />)}
      {(models || missing) && (
        <div className="panel-grid spaced">
          <ExperimentsPanel project={project} kind="models" />
          <ExperimentsPanel project={project} kind="ablation" />
        </div>
      )}
    </>
  );
}

interface ShownProps {
  project: string;
  models: Models;
  ablation: Ablation | undefined;
}

function Shown({ project, models, ablation }: ShownProps) {
  return (
    <>
      <ModelPanels project={project} models={models} />
      {models.rates.map((of) => (
        <RatesPanel key={of.host_class} project={project} commit={models.commit} of={of} />
      ))}
      {ablation ? <AblationPanels project={project} ablation={ablation} /> : <Loading rows={4} />}
    </>
  );
}
