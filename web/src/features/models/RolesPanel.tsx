// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { rolesQuery } from "../../shared/api/predictions";
import type { ModelInputs, RolePlan, RolesAnswer, RolesInput } from "../../shared/api/types";
import { fileName, table } from "../../shared/logic/text/csv";
import { figure, plain, said } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { Answered } from "./Answered";
import { lcoresText } from "./AnswerPanel";
import { type Question, rolesInput } from "./question";

interface Props {
  project: string;
  inputs: ModelInputs;
  question: Question;
}

/** How many lcores of a pipeline dispatch, process and keep tables. */
export function RolesPanel({ project, inputs, question }: Props) {
  const input = rolesInput(inputs, question);
  if (input === null)
    return (
      <SavedPanel title="Roles" name="roles" what="roles" aside={null} rows={undefined}>
        <p className="soft">
          No answer: {said(inputs.missing.work ?? "")}. Choose the run of a pipeline to share lcores between
          dispatch, workers and databases.
        </p>
      </SavedPanel>
    );
  return <Roles project={project} scenario={inputs.scenario} input={input} />;
}

interface Split {
  name: string;
  plan: RolePlan;
}

const splitsOf = (answer: RolesAnswer): Split[] => [
  { name: "best in whole lcores", plan: answer.whole },
  { name: "greatest rate, in shares", plan: answer.greatest_rate },
  { name: "shortest way, in shares", plan: answer.shortest_way },
];

function Roles({ project, scenario, input }: { project: string; scenario: string; input: RolesInput }) {
  const query = useQuery(rolesQuery(project, input));
  const { data } = query;
  return (
    <SavedPanel
      title="Roles"
      name={fileName("roles", scenario)}
      what="lcores of roles"
      aside={
        <span className="soft">{lcoresText(input.lcores)} shared between the roles of the pipeline</span>
      }
      rows={
        data &&
        (() =>
          table(splitsOf(data), {
            split: ({ name }) => name,
            "dispatch [lcores]": ({ plan }) => plan.dispatch,
            "workers [lcores]": ({ plan }) => plan.workers,
            "databases [lcores]": ({ plan }) => plan.databases,
            "rate [packets/s]": ({ plan }) => plan.pps,
            bottleneck: ({ plan }) => plan.bottleneck,
          }))
      }
      pictured
    >
      <Answered query={query}>{(answer) => <Splits answer={answer} />}</Answered>
    </SavedPanel>
  );
}

function Splits({ answer }: { answer: RolesAnswer }) {
  return (
    <ScrollTable label="Lcores of roles">
      <thead>
        <tr>
          <th className="left">Split</th>
          <th>dispatch</th>
          <th>workers</th>
          <th>databases</th>
          <th>at most</th>
          <th className="left">slowest</th>
          <th>cycles of a packet's way</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row" className="left">
            cycles/packet, measured
          </th>
          <td>{figure(answer.work.dispatch)}</td>
          <td>{figure(answer.work.workers)}</td>
          <td>{figure(answer.work.databases)}</td>
          <td />
          <td />
          <td />
        </tr>
        {splitsOf(answer).map(({ name, plan }) => (
          <tr key={name}>
            <th scope="row" className="left">
              {name}
            </th>
            <td>{plain(plan.dispatch)}</td>
            <td>{plain(plan.workers)}</td>
            <td>{plain(plan.databases)}</td>
            <td>{figure(plan.pps, "packets/s")}</td>
            <td className="left">{plan.bottleneck}</td>
            <td>{figure(plan.denominator)}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
