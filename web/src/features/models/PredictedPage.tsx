// SPDX-License-Identifier: Apache-2.0
/** What happens with more load, more lcores, other hardware: the models' answers from a measured run. */
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { ApiError } from "../../shared/api/client";
import { modelInputsQuery, predictableQuery } from "../../shared/api/predictions";
import type { ModelInputs, PredictableRun } from "../../shared/api/types";
import { figure } from "../../shared/logic/text/format";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { Failed, Loading } from "../../shared/ui/States";
import { AnswerPanel, lcoresText } from "./AnswerPanel";
import { BoundsPanel } from "./BoundsPanel";
import { CapacityPanel } from "./CapacityPanel";
import { CostPanel } from "./CostPanel";
import { LinesPanel } from "./LinesPanel";
import { ModelsTabs } from "./ModelsTabs";
import { MeasuredFlows } from "./measured/MeasuredFlows";
import { MeasuredQueue, MeasuredSpeedup } from "./measured/MeasuredLoads";
import { MeasuredRoles } from "./measured/MeasuredRoles";
import { NeededForPredictions, NothingMeasured } from "./NothingMeasured";
import { QuestionForm } from "./QuestionForm";
import { QueuePanels } from "./QueuePanels";
import { measuredBatches, questionOf } from "./question";
import { RolesPanel } from "./RolesPanel";
import { SpeedupPanel } from "./SpeedupPanel";
import type { PredictedSearch } from "./search";

const route = getRouteApi("/p/$project/models/predicted");

export function PredictedPage() {
  const { project } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project/models/predicted" });
  const set = (changes: Partial<PredictedSearch>) =>
    navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  const { data, error, refetch } = useQuery(predictableQuery(project));
  const run = search.run ?? data?.runs[0]?.run_id;
  useTitle("Predictions", project);
  const missing = (error instanceof ApiError && error.status === 404) || data?.runs.length === 0;
  return (
    <>
      <PageHead title="What happens at another load?" under="Predicted from one measured run.">
        {data && data.runs.length > 0 && (
          <Select
            aria-label="Run to predict from"
            allowDeselect={false}
            searchable
            w={300}
            data={data.runs.map((one) => ({ value: one.run_id, label: nameOf(one) }))}
            value={run ?? null}
            onChange={(chosen) => set({ run: chosen ?? undefined })}
          />
        )}
      </PageHead>
      <ModelsTabs project={project} />
      {missing && (
        <>
          <NothingMeasured
            project={project}
            title="Nothing to predict from"
            says={error?.message ?? "The newest measured commit has no run with cycles per packet."}
          />
          <NeededForPredictions project={project} />
        </>
      )}
      {run !== undefined && !missing && <OfRun project={project} run={run} search={search} set={set} />}
      {run === undefined && !missing && (error ? <Failed error={error} onRetry={refetch} /> : <Loading />)}
    </>
  );
}

const nameOf = (run: PredictableRun): string =>
  `${run.scenario}, ${run.host_class}, ${lcoresText(run.lcores)}, ${figure(run.cpp)} cycles`;

interface OfRunProps {
  project: string;
  run: string;
  search: PredictedSearch;
  set: (changes: Partial<PredictedSearch>) => void;
}

function OfRun({ project, run, search, set }: OfRunProps) {
  const { data, error, refetch } = useQuery(modelInputsQuery(run));
  if (data === undefined) return error ? <Failed error={error} onRetry={refetch} /> : <Loading />;
  return <Predicted key={data.run_id} project={project} inputs={data} search={search} set={set} />;
}

interface PredictedProps {
  project: string;
  inputs: ModelInputs;
  search: PredictedSearch;
  set: (changes: Partial<PredictedSearch>) => void;
}

function Predicted({ project, inputs, search, set }: PredictedProps) {
  const question = questionOf(search, inputs);
  return (
    <>
      <Panel
        title={`${inputs.scenario} on ${inputs.host_class}`}
        aside={
          <span className="soft">
            measured on {lcoresText(inputs.lcores)}: {figure(inputs.cpp)} cycles/packet,{" "}
            {figure(inputs.pps, "packets/s")}
          </span>
        }
      >
        <QuestionForm
          question={question}
          measured={measuredBatches(inputs, question) !== null}
          onAsk={({ mpps, lcores, queue, batch, poll }) =>
            set({
              mpps: String(mpps),
              lcores: String(lcores),
              queue: String(queue),
              batch: String(batch),
              poll: String(poll),
            })
          }
        />
      </Panel>
      <AnswerPanel project={project} inputs={inputs} question={question} />
      <SpeedupPanel project={project} inputs={inputs} lcores={question.lcores} />
      <MeasuredSpeedup project={project} />
      <RolesPanel project={project} inputs={inputs} question={question} />
      <MeasuredRoles project={project} />
      <QueuePanels project={project} inputs={inputs} question={question} />
      <MeasuredQueue project={project} />
      <CapacityPanel
        project={project}
        inputs={inputs}
        question={question}
        chip={search.chip}
        onChip={(chip) => set({ chip })}
      />
      <BoundsPanel project={project} />
      <LinesPanel
        project={project}
        inputs={inputs}
        flight={search.flight}
        onFlight={(flight) => set({ flight })}
      />
      <MeasuredFlows project={project} />
      <CostPanel
        project={project}
        designs={search.designs}
        packets={search.packets}
        onDesigns={(designs, packets) => set({ designs: designs || undefined, packets })}
      />
    </>
  );
}
