// SPDX-License-Identifier: Apache-2.0
/** What experiments under load measured, beside what the models predict for the same lcores and loads. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { experimentQuery, experimentsQuery } from "../../../shared/api/experiments";
import type { CoresAnswer, ExperimentDetail, QueueResult } from "../../../shared/api/types";
import { lossText } from "../../../shared/logic/run/rates";
import { type Row, table } from "../../../shared/logic/text/csv";
import { figure, said, shortSha, THIN } from "../../../shared/logic/text/format";
import { ExperimentsPanel } from "../../../shared/ui/experiments/ExperimentsPanel";
import { ScrollTable } from "../../../shared/ui/lists/ScrollTable";
import { SavedPanel } from "../../../shared/ui/save/SavedPanel";
import { lcoresText } from "../AnswerPanel";
import { SpeedupPlot } from "../SpeedupPanel";

interface Props {
  project: string;
}

/** The newest measured speedup, and the way to another. */
export function MeasuredSpeedup({ project }: Props) {
  const { data } = useNewest(project, "cores");
  return (
    <>
      {data?.result?.kind === "cores" && <Speedups experiment={data} result={data.result} />}
      <ExperimentsPanel project={project} kind="cores" />
    </>
  );
}

/** The newest measured grid of queues, and the way to another. */
export function MeasuredQueue({ project }: Props) {
  const { data } = useNewest(project, "queue");
  return (
    <>
      {data?.result?.kind === "queue" && <Grids experiment={data} result={data.result} />}
      <ExperimentsPanel project={project} kind="queue" />
    </>
  );
}

/** The newest experiment of the kind that has a result. */
export function useNewest(project: string, kind: "cores" | "queue" | "flows" | "roles") {
  const { data: listed } = useQuery(experimentsQuery(project, kind));
  const newest = listed?.find((one) => one.state === "done")?.id;
  return useQuery({ ...experimentQuery(newest ?? 0), enabled: newest !== undefined });
}

export type Origin = Pick<ExperimentDetail, "id" | "sha" | "host_class">;

interface MeasuredProps {
  title: string;
  experiment: Origin;
  unusable: Record<string, string>;
  rows: () => readonly Row[];
  children: ReactNode;
}

/** What an experiment under load measured, and tables that it could not measure. */
export function Measured({ title, experiment, unusable, rows, children }: MeasuredProps) {
  return (
    <SavedPanel
      title={title}
      name={`experiment-${experiment.id}`}
      what={`experiment ${experiment.id}`}
      rows={rows}
      pictured
      aside={
        <span className="soft">
          experiment {experiment.id} on <span className="mono">{shortSha(experiment.sha)}</span>
          {experiment.host_class && `, ${experiment.host_class}`}
        </span>
      }
    >
      {children}
      {Object.entries(unusable).map(([name, why]) => (
        <p className="held wrap-text" key={name}>
          {name} was not measured: {why}
        </p>
      ))}
    </SavedPanel>
  );
}

interface SpeedupsProps {
  experiment: Origin;
  result: { tables: Record<string, Omit<CoresAnswer, "ranges">>; unusable: Record<string, string> };
}

function Speedups({ experiment, result }: SpeedupsProps) {
  const points = Object.values(result.tables).flatMap((answer) =>
    answer.points.map((point) => ({ chain: answer.chain, ...point })),
  );
  return (
    <Measured
      title="Speedup, measured beside the curve"
      experiment={experiment}
      unusable={result.unusable}
      rows={() =>
        table(points, {
          chain: (one) => one.chain,
          lcores: (one) => one.lcores,
          "measured [ratio]": (one) => one.measured,
          "fitted [ratio]": (one) => one.fitted,
          "residual [ratio]": (one) => one.residual,
        })
      }
    >
      {Object.values(result.tables).map((answer) => (
        <div className="answer" key={answer.chain}>
          <h3>{answer.chain}</h3>
          <SpeedupPlot answer={answer} />
          {Object.entries(answer.left_out).map(([lcores, why]) => (
            <p className="assumes" key={lcores}>
              Left out: {lcoresText(Number(lcores))}: {said(why)}
            </p>
          ))}
          <p className="assumes">Assumes: {said(answer.assumes)}</p>
        </div>
      ))}
    </Measured>
  );
}

function Grids({ experiment, result }: { experiment: Origin; result: QueueResult }) {
  const loads = Object.entries(result.tables).flatMap(([name, answer]) =>
    answer.loads.map((load) => ({ name, ...load })),
  );
  return (
    <Measured
      title="Queues, measured beside the model"
      experiment={experiment}
      unusable={result.unusable}
      rows={() =>
        table(loads, {
          table: (one) => one.name,
          "batch [packets]": (one) => one.batch,
          "ring [packets]": (one) => one.queue,
          "frame [bytes]": (one) => one.frame,
          "load [packets/s]": (one) => one.pps,
          "measured_batch [packets]": (one) => one.measured_batch,
          "predicted_batch [packets]": (one) => one.predicted_batch,
          "divergence [nats]": (one) => one.divergence,
          "measured_loss [ratio]": (one) => one.measured_loss,
          "predicted_loss [ratio]": (one) => one.predicted_loss,
          "measured_latency [us]": (one) => one.measured_latency_us,
          "predicted_delay [us]": (one) => one.predicted_delay_us,
        })
      }
    >
      {Object.entries(result.tables).map(([name, answer]) => (
        <div className="answer" key={name}>
          <h3>
            {name}, {answer.arrivals} gaps
          </h3>
          <Loads name={name} loads={answer.loads} />
          <p>
            Mean batch within 2 packets in {answer.near} of {answer.loads.length} loads, JSD below 0.1 in{" "}
            {answer.close}.
          </p>
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

type Load = QueueResult["tables"][string]["loads"][number];

const cellText = (load: Load): string =>
  `batch ${load.batch}, ring ${load.queue}${load.frame === null ? "" : `, frame ${load.frame}`}`;

function Loads({ name, loads }: { name: string; loads: readonly Load[] }) {
  return (
    <ScrollTable label={`Measured loads of ${name}`}>
      <thead>
        <tr>
          <th className="left">Queue</th>
          <th>Mpackets/s</th>
          <th>batch</th>
          <th>model</th>
          <th>JSD</th>
          <th>lost</th>
          <th>model</th>
          <th>latency, µs</th>
          <th>delay by the model, µs</th>
        </tr>
      </thead>
      <tbody>
        {loads.map((load) => (
          <tr key={`${cellText(load)} ${load.pps}`}>
            <th scope="row" className="left">
              {cellText(load)}
            </th>
            <td>
              {figure(load.pps / 1e6, "", 3)}
              {load.share !== null && ` (${(100 * load.share).toFixed(0)}${THIN}%)`}
            </td>
            <td>{figure(load.measured_batch, "", 3)}</td>
            <td>{figure(load.predicted_batch, "", 3)}</td>
            <td>{figure(load.divergence, "", 2)}</td>
            <td>{lossText(load.measured_loss)}</td>
            <td>{lossText(load.predicted_loss)}</td>
            <td>
              {load.measured_latency_us === null ? "not measured" : figure(load.measured_latency_us, "", 3)}
            </td>
            <td>{figure(load.predicted_delay_us, "", 3)}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
