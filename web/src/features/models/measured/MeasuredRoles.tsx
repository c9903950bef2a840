// SPDX-License-Identifier: Apache-2.0
/** What experiments on roles measured: splits of lcores beside the rates that one run predicts for them. */
import type { RolesResult, SplitsAnswer } from "../../../shared/api/types";
import { table } from "../../../shared/logic/text/csv";
import { columnUnit, figure, inColumn, said, signed, THIN } from "../../../shared/logic/text/format";
import { ExperimentsPanel } from "../../../shared/ui/experiments/ExperimentsPanel";
import { ScrollTable } from "../../../shared/ui/lists/ScrollTable";
import { lcoresText } from "../AnswerPanel";
import { Measured, type Origin, useNewest } from "./MeasuredLoads";

/** The newest measured splits, and the way to others. */
export function MeasuredRoles({ project }: { project: string }) {
  const { data } = useNewest(project, "roles");
  return (
    <>
      {data?.result?.kind === "roles" && <Roles experiment={data} result={data.result} />}
      <ExperimentsPanel project={project} kind="roles" />
    </>
  );
}

function Roles({ experiment, result }: { experiment: Origin; result: RolesResult }) {
  const splits = Object.entries(result.tables).flatMap(([name, answer]) =>
    answer.splits.map((split) => ({ name, ...split })),
  );
  return (
    <Measured
      title="Roles, measured beside the prediction"
      experiment={experiment}
      unusable={result.unusable}
      rows={() =>
        table(splits, {
          table: (one) => one.name,
          scenario: (one) => one.scenario,
          "dispatch [lcores]": (one) => one.dispatch,
          "workers [lcores]": (one) => one.workers,
          "databases [lcores]": (one) => one.databases,
          "predicted [packets/s]": (one) => one.predicted_pps,
          "measured [packets/s]": (one) => one.measured_pps,
          "error [ratio]": (one) => one.error,
          bottleneck: (one) => one.bottleneck,
          left_out: (one) => one.left_out,
        })
      }
    >
      {Object.entries(result.tables).map(([name, answer]) => (
        <div className="answer" key={name}>
          <h3>{name}</h3>
          <p>
            {answer.scenario} takes {figure(answer.work.dispatch)} cycles of a packet to dispatch,{" "}
            {figure(answer.work.workers)} of workers and {figure(answer.work.databases)} of databases.
          </p>
          <Splits name={name} answer={answer} />
          {Object.entries(answer.plans).map(([lcores, plan]) => (
            <p key={lcores}>
              Best of {lcoresText(Number(lcores))}: dispatch {plan.dispatch}, workers {plan.workers},
              databases {plan.databases}, {figure(plan.pps, "packets/s")} predicted.
            </p>
          ))}
          <p>
            Predicted within 10 per cent of the measured rate: {answer.near} of{" "}
            {answer.splits.filter(({ error }) => error !== null).length} measured splits.
          </p>
          {answer.splits.map(
            ({ scenario, left_out }) =>
              left_out !== null && (
                <p className="assumes" key={scenario}>
                  Not measured: {said(left_out)}
                </p>
              ),
          )}
          <p className="assumes">Assumes: {said(answer.assumes)}</p>
        </div>
      ))}
    </Measured>
  );
}

function Splits({ name, answer }: { name: string; answer: SplitsAnswer }) {
  const unit = columnUnit(
    answer.splits.flatMap(({ predicted_pps, measured_pps }) => [predicted_pps, measured_pps ?? 0]),
    "packets/s",
  );
  return (
    <ScrollTable label={`Splits of ${name}`}>
      <thead>
        <tr>
          <th className="left">Scenario</th>
          <th>dispatch</th>
          <th>workers</th>
          <th>databases</th>
          <th>predicted, {unit.unit}</th>
          <th>measured, {unit.unit}</th>
          <th>prediction is off by</th>
          <th className="left">slowest role</th>
        </tr>
      </thead>
      <tbody>
        {answer.splits.map((one) => (
          <tr key={one.scenario}>
            <th scope="row" className="left">
              {one.scenario}
            </th>
            <td>{one.dispatch}</td>
            <td>{one.workers}</td>
            <td>{one.databases}</td>
            <td>{inColumn(one.predicted_pps, unit)}</td>
            <td>{one.measured_pps === null ? "not measured" : inColumn(one.measured_pps, unit)}</td>
            <td>{one.error === null ? "" : `${signed(100 * one.error)}${THIN}%`}</td>
            <td className="left">{one.bottleneck}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
