// SPDX-License-Identifier: Apache-2.0
/** What each feature costs, versions of unlike feature sets on one scale, and the model all of it rests on. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { pricesQuery } from "../../shared/api/features";
import { ExperimentsPanel } from "../../shared/ui/experiments/ExperimentsPanel";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { PageHead } from "../../shared/ui/PageHead";
import { Failed, Loading } from "../../shared/ui/States";
import { FitPanels } from "./FitPanels";
import { NcppPanel } from "./NcppPanel";
import { PriceHistory } from "./PriceHistory";
import { PricePanel } from "./PricePanel";
import { ReferenceNote } from "./ReferenceNote";
import type { FeaturesSearch } from "./search";

const route = getRouteApi("/p/$project/features");

export function FeaturesPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project/features" });
  const { data: prices, error, refetch } = useQuery(pricesQuery(project));
  useTitle("Features", project);
  const set = (change: FeaturesSearch): void => {
    navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false });
  };
  return (
    <>
      <PageHead
        title="Features and their prices"
        under="The cost of each version, relative to its features."
      />
      {prices === undefined && (error ? <Failed error={error} onRetry={refetch} /> : <Loading />)}
      {prices && (
        <>
          {prices.reference === null && <ReferenceNote project={project} />}
          <PricePanel
            project={project}
            prices={prices}
            chosen={search.feature}
            onChoose={(feature) => set({ feature })}
          />
          {search.feature && <PriceHistory project={project} feature={search.feature} />}
          <NcppPanel project={project} search={search} set={set} />
          <FitPanels project={project} />
          <ExperimentsPanel project={project} kind="features" />
        </>
      )}
    </>
  );
}
