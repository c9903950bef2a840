// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { experimentsQuery } from "../../api/experiments";
import type { ExperimentKind } from "../../api/types";
import { isUnderWay } from "../../logic/run/experiments";
import { useLiveJobs } from "../hooks/useLive";
import { LiveMark } from "../LiveMark";
import { Panel } from "../Panel";
import { ExperimentRow } from "./ExperimentRow";
import { RequestExperiment } from "./RequestExperiment";

const SAYS: Record<ExperimentKind, { title: string; none: string }> = {
  features: {
    title: "Experiments on features",
    none: "None yet. One measures each feature off and on within one commit, side by side, and fits the cost model.",
  },
  ablation: {
    title: "Ablation experiments",
    none: "None yet. One measures each variant of nalm.toml's [ablation] tables off and on, side by side.",
  },
  models: {
    title: "Experiments on execution models",
    none: "None yet. One measures the chains of [experiments.models] in nalm.toml under each of their models, side by side.",
  },
  cores: {
    title: "Experiments on core counts",
    none: "None yet. One measures the chains of [experiments.cores] in nalm.toml at full load on several numbers of lcores, and fits the speedup. It needs a scenario for each of at least three numbers, and a bench host with an lcore more for the generator.",
  },
  queue: {
    title: "Experiments on queues",
    none: "None yet. One measures the queues of [experiments.queue] in nalm.toml at several loads, beside the queue model. It needs a scenario whose generator has an lcore of its own.",
  },
  roles: {
    title: "Experiments on roles",
    none: "None yet. One takes the cycles of dispatch, workers and databases from a run of [experiments.roles] in nalm.toml, predicts the rate of each split of lcores, and measures those that the bench host has the lcores for.",
  },
  flows: {
    title: "Experiments on flows",
    none: "None yet. One measures the designs of [experiments.flows] in nalm.toml at several shares of new flows, and tells the cost of a flow's first packet from that of later ones. It needs scenarios whose generator begins flows (nalm_traffic.h from version 4 on).",
  },
};

/** The newest experiments of a kind, how far they are, and the way to a new one. */
export function ExperimentsPanel({ project, kind }: { project: string; kind: ExperimentKind }) {
  const { data: experiments, error } = useQuery(experimentsQuery(project, kind));
  const live = useLiveJobs({ project }, ["experiment", "experiments", "job"]);
  const { title, none } = SAYS[kind];
  return (
    <Panel title={title} aside={experiments?.some(isUnderWay) && <LiveMark live={live} />}>
      {error && !experiments && <p role="alert">{error.message}</p>}
      {experiments?.length === 0 && <p className="soft">{none}</p>}
      <ul className="rows">
        {experiments?.map((experiment) => (
          <ExperimentRow key={experiment.id} experiment={experiment} />
        ))}
      </ul>
      <RequestExperiment project={project} kind={kind} />
    </Panel>
  );
}
