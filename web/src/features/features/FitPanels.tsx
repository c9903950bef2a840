// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { experimentQuery, experimentsQuery } from "../../shared/api/experiments";
import { FitPanel } from "./FitPanel";

/** The cost models of the newest experiment that has some: what they were fitted on, and how wrong they are. */
export function FitPanels({ project }: { project: string }) {
  const { data: experiments = [] } = useQuery(experimentsQuery(project, "features"));
  const newest = experiments.find(({ state }) => state === "done");
  if (newest === undefined) return null;
  return <Fits number={newest.id} />;
}

function Fits({ number }: { number: number }) {
  const { data } = useQuery(experimentQuery(number));
  const result = data?.result;
  if (data === undefined || result?.kind !== "features") return null;
  return result.fits.map((fit) => <FitPanel key={fit.scenario} fit={fit} of={data} result={result} />);
}
