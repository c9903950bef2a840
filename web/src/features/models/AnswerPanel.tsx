// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { budgetQuery, queueAnswerQuery, speedupQuery } from "../../shared/api/predictions";
import type { BudgetAnswer, ModelInputs } from "../../shared/api/types";
import { IntervalBar } from "../../shared/charts/IntervalBar";
import { axisOf } from "../../shared/logic/charts/axis";
import { lossText } from "../../shared/logic/run/rates";
import { fileName, table } from "../../shared/logic/text/csv";
import { figure, said, THIN } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { Answered, Extrapolated } from "./Answered";
import {
  budgetInput,
  fewestInput,
  loadInput,
  measuredBatches,
  type Question,
  speedupInput,
} from "./question";

interface Props {
  project: string;
  inputs: ModelInputs;
  question: Question;
}

/** The answer in sentences, and the cycles that the load leaves for a packet. */
export function AnswerPanel({ project, inputs, question }: Props) {
  const budget = useQuery(budgetQuery(project, budgetInput(inputs, question)));
  const { data } = budget;
  return (
    <SavedPanel
      title={`${question.mpps} Mpackets/s on ${lcoresText(question.lcores)}`}
      name={fileName("budget", inputs.scenario)}
      what="cycles of a packet"
      aside={<span className="soft">cycles that a packet may take, and takes</span>}
      rows={
        data &&
        (() =>
          table(rowsOf(inputs, data), {
            part: (row) => row.name,
            "cycles [cycles/packet]": (row) => row.cycles,
          }))
      }
      pictured
    >
      <Answered query={budget}>
        {(answer) => (
          <>
            <Carried project={project} inputs={inputs} lcores={question.lcores} answer={answer} />
            <Delay project={project} inputs={inputs} question={question} />
            <Fewest project={project} inputs={inputs} question={question} />
            {inputs.work && (
              <p className="assumes">
                Note: the run is a pipeline, and each lcore is taken to do all of it; "Roles" below shares
                lcores between its roles.
              </p>
            )}
            <BudgetTable inputs={inputs} answer={answer} />
          </>
        )}
      </Answered>
    </SavedPanel>
  );
}

const carryText = (number: number): string => `${lcoresText(number)} ${number === 1 ? "carries" : "carry"}`;

export const lcoresText = (number: number): string => `${number} ${number === 1 ? "lcore" : "lcores"}`;

interface CarriedProps {
  project: string;
  inputs: ModelInputs;
  lcores: number;
  answer: BudgetAnswer;
}

/** By the speedup curve, where enough numbers of lcores were measured; otherwise with CPP as it is. */
function Carried({ project, inputs, lcores, answer }: CarriedProps) {
  const { data } = useQuery(speedupQuery(project, speedupInput(inputs, lcores)));
  const onCurve = data?.predictions.find((one) => one.lcores === lcores);
  const most = onCurve?.rate ?? answer.most_pps;
  const share = Math.min(most / answer.line_pps, 1);
  return (
    <>
      <p className="verdict-line">
        {share >= 1 ? "Yes" : "No"}: {carryText(lcores)}{" "}
        {share >= 1 ? "all of it" : `${(100 * share).toFixed(1)}${THIN}% of it`}, and at most{" "}
        {figure(most, "packets/s")} <Extrapolated when={onCurve?.extrapolated ?? answer.extrapolated} />
      </p>
      {onCurve && (
        <p>
          By the speedup curve. If a packet took no more cycles with more lcores, they would carry{" "}
          {figure(answer.most_pps, "packets/s")} <Extrapolated when={answer.extrapolated} />
        </p>
      )}
      {(onCurve || share < 1 || answer.lcores_needed !== lcores) && (
        <p>
          {onCurve ? "Then " : ""}
          {carryText(answer.lcores_needed)} it all <Extrapolated when={answer.needed_extrapolated} />
        </p>
      )}
    </>
  );
}

function Delay({ project, inputs, question }: Props) {
  const { data, isPending } = useQuery(queueAnswerQuery(project, loadInput(inputs, question)));
  const load = data?.loads[0];
  if (load === undefined) return isPending ? <ExpectedLine /> : null;
  return (
    <p>
      Lost {lossText(load.loss)}, delay {figure(load.delay_us, "µs", 3)} on average,{" "}
      {figure(load.delay_p99_us, "µs", 3)} for 1 packet in 100 or longer, {figure(load.mean_batch, "", 3)}{" "}
      packets in a batch; from batch times that are{" "}
      {measuredBatches(inputs, question) ? "measured" : "assumed, not measured"}
    </p>
  );
}

/** Dimensioning: lcores that lose next to nothing, each with a queue of its own. */
function Fewest({ project, inputs, question }: Props) {
  const { data, error, isPending } = useQuery(queueAnswerQuery(project, fewestInput(inputs, question)));
  if (error) return <p className="soft">How few lcores lose next to nothing: {said(error.message)}</p>;
  const load = data?.loads[0];
  if (load === undefined) return isPending ? <ExpectedLine /> : null;
  const fewer = data?.loss_with_fewer?.[0];
  return (
    <p>
      At least {lcoresText(load.lcores)} for a loss of at most {lossText(data?.most_loss ?? 0)}
      {fewer != null && `; ${lcoresText(load.lcores - 1)} would lose ${lossText(fewer)}`}{" "}
      <Extrapolated when={load.lcores !== inputs.lcores} />
    </p>
  );
}

/** Keeps the place of a line that has not arrived. */
const ExpectedLine = () => <p aria-hidden="true">{"\u00a0"}</p>;

interface BudgetRow {
  name: string;
  cycles: number;
}

const rowsOf = (inputs: ModelInputs, answer: BudgetAnswer): BudgetRow[] => [
  { name: "budget", cycles: answer.cycles },
  { name: "chain", cycles: inputs.cpp },
  ...Object.entries(inputs.stages).map(([name, cycles]) => ({ name, cycles })),
];

function BudgetTable({ inputs, answer }: { inputs: ModelInputs; answer: BudgetAnswer }) {
  const rows = rowsOf(inputs, answer);
  const axis = axisOf(
    rows.map((row) => ({ value: row.cycles })),
    0,
    1,
  );
  return (
    <ScrollTable label="Budget of a packet">
      <thead>
        <tr>
          <th className="left">Part</th>
          <th>cycles/packet</th>
          <th className="left">from 0</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, cycles }, index) => (
          <tr key={name}>
            <th scope="row" className="left">
              {index === 0 ? "what the load leaves" : name}
            </th>
            <td>{figure(cycles)}</td>
            <td className="left">
              <IntervalBar
                of={{ value: cycles }}
                axis={axis}
                color={index === 0 ? "var(--part-unsplit)" : "var(--part-instructions)"}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
