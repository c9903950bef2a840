// SPDX-License-Identifier: Apache-2.0
/** What experiments on flows measured: first packets beside later ones, and which designs pay from which length. */
import type { FlowsAnswer, FlowsResult } from "../../../shared/api/types";
import { CurvePlot } from "../../../shared/charts/CurvePlot";
import type { Point } from "../../../shared/charts/curves";
import { table } from "../../../shared/logic/text/csv";
import { figure, plain, said, THIN } from "../../../shared/logic/text/format";
import { ExperimentsPanel } from "../../../shared/ui/experiments/ExperimentsPanel";
import { ScrollTable } from "../../../shared/ui/lists/ScrollTable";
import { CostCurves, INKS } from "../CostPanel";
import { Measured, type Origin, useNewest } from "./MeasuredLoads";

/** The newest measured designs, and the way to others. */
export function MeasuredFlows({ project }: { project: string }) {
  const { data } = useNewest(project, "flows");
  return (
    <>
      {data?.result?.kind === "flows" && <Flows experiment={data} result={data.result} />}
      <ExperimentsPanel project={project} kind="flows" />
    </>
  );
}

const percent = (share: number): string => `${plain(100 * share)}${THIN}%`;

interface Bounded {
  value: number;
  low: number | null;
  high: number | null;
}

const bounded = ({ value, low, high }: Bounded): string =>
  low === null || high === null
    ? figure(value, "", 3)
    : `${figure(value, "", 3)} [${figure(low, "", 3)}, ${figure(high, "", 3)}]`;

function Flows({ experiment, result }: { experiment: Origin; result: FlowsResult }) {
  const points = Object.entries(result.tables).flatMap(([name, answer]) =>
    Object.entries(answer.designs).flatMap(([design, one]) =>
      one.points.map((point) => ({ name, design, ...point })),
    ),
  );
  return (
    <Measured
      title="First packets of flows, measured"
      experiment={experiment}
      unusable={result.unusable}
      rows={() =>
        table(points, {
          table: (one) => one.name,
          design: (one) => one.design,
          "new_flows [ratio]": (one) => one.share,
          "measured [cycles]": (one) => one.cycles,
          "line [cycles]": (one) => one.fitted,
          trials: (one) => one.trials,
          left_out: (one) => one.left_out,
        })
      }
    >
      {Object.entries(result.tables).map(([name, answer]) => (
        <div className="answer" key={name}>
          <h3>
            {name}, {figure(answer.pps / 1e6, "", 3)} Mpackets/s
          </h3>
          <Shares answer={answer} />
          <Packets name={name} answer={answer} />
          {Object.entries(answer.break_even).map(([design, { length, packets }]) => (
            <p key={design}>
              {design} costs fewer cycles from flows of {packets} packets on: break-even at {bounded(length)}{" "}
              packets.
            </p>
          ))}
          {answer.cost && <CostCurves answer={answer.cost} label={`Costs by design of ${name}`} />}
          {answer.left_out.map((why) => (
            <p className="assumes" key={why}>
              Left out: {said(why)}
            </p>
          ))}
          {answer.notes.map((note) => (
            <p className="assumes" key={note}>
              Note: {said(note)}
            </p>
          ))}
          <p className="assumes">Assumes: {said(answer.assumes)}</p>
        </div>
      ))}
    </Measured>
  );
}

/** Cycles of a packet over the share of first packets: measured, and the line of each design. */
function Shares({ answer }: { answer: FlowsAnswer }) {
  const designs = Object.entries(answer.designs);
  const points = designs.flatMap(([, one]) => one.points);
  const last = Math.max(...points.map((one) => one.share));
  const most = Math.max(...points.flatMap((one) => [one.cycles, one.fitted]));
  return (
    <CurvePlot
      label={`Cycles of a packet up to ${percent(last)} new flows, ${designs.length} designs`}
      x={{ name: "first packets, of all packets", low: 0, high: last * 1.05, text: percent }}
      y={{ name: "cycles per packet", low: 0, high: most * 1.1, text: plain }}
      curves={designs.map(([name, one], index) => ({
        name,
        ...(INKS[index % INKS.length] ?? INKS[0]),
        points: one.points.map((point): Point => [point.share, point.fitted]),
      }))}
      dots={{ name: "measured", points: points.map((one): Point => [one.share, one.cycles]) }}
    />
  );
}

function Packets({ name, answer }: { name: string; answer: FlowsAnswer }) {
  return (
    <ScrollTable label={`First and later packets of ${name}`}>
      <thead>
        <tr>
          <th className="left">Design</th>
          <th>first packet, cycles [interval]</th>
          <th>later packets, cycles [interval]</th>
          <th>delay of the first, cycles</th>
          <th>delay of later ones, cycles</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(answer.designs).map(([design, one]) => (
          <tr key={design}>
            <th scope="row" className="left">
              {design}
              <span className="under">{one.scenario}</span>
            </th>
            <td>{bounded(one.first)}</td>
            <td>{bounded(one.later)}</td>
            <td>{one.first_delay ? bounded(one.first_delay) : "not measured"}</td>
            <td>{one.later_delay ? bounded(one.later_delay) : "not measured"}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
