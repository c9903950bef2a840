// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { experimentQuery, experimentsQuery } from "../../shared/api/experiments";
import { Panel } from "../../shared/ui/Panel";
import { FailedPart } from "../../shared/ui/States";
import { FitPanel } from "./FitPanel";

/** The cost models of the newest experiment that has some: what they were fitted on, and how wrong they are. */
export function FitPanels({ project }: { project: string }) {
  const { data: experiments = [] } = useQuery(experimentsQuery(project, "features"));
  const newest = experiments.find(({ state }) => state === "done");
  if (newest === undefined) return null;
  return <Fits number={newest.id} />;
}

function Fits({ number }: { number: number }) {
  const { data, error, refetch } = useQuery(experimentQuery(number));
  if (data === undefined && error !== null)
    return (
      <Panel title="Cost model">
        <FailedPart error={error} onRetry={refetch} />
      </Panel>
    );
  const result = data?.result;
  if (data === undefined || result?.kind !== "features") return null;
  return result.fits.map((fit) => <FitPanel key={fit.scenario} fit={fit} of={data} result={result} />);
}
