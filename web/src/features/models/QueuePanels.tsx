// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { queueAnswerQuery } from "../../shared/api/predictions";
import type { ModelInputs, QueueAnswer } from "../../shared/api/types";
import { CurvePlot } from "../../shared/charts/CurvePlot";
import type { Point } from "../../shared/charts/curves";
import { lossText } from "../../shared/logic/run/rates";
import { fileName, table } from "../../shared/logic/text/csv";
import { figure, plain, said, signed, THIN } from "../../shared/logic/text/format";
import { batchesFile } from "../../shared/logic/text/tableFiles";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { Answered, Extrapolated } from "./Answered";
import { lcoresText } from "./AnswerPanel";
import { atMeasuredLoad, loadInput, loadsInput, measuredBatches, type Question } from "./question";

interface Props {
  project: string;
  inputs: ModelInputs;
  question: Question;
}

const percent = (share: number): string => `${plain(100 * share)}${THIN}%`;
const wholeText = (value: number): string => (Number.isInteger(value) ? plain(value) : "");
const mpps = (value: number): string => plain(value);

/** Batches at the load; loss and delay over loads. */
export function QueuePanels(props: Props) {
  return (
    <>
      <BatchPanel {...props} />
      <LoadPanel {...props} />
    </>
  );
}

function BatchPanel({ project, inputs, question }: Props) {
  const query = useQuery(queueAnswerQuery(project, loadInput(inputs, question)));
  const sizes = query.data?.loads[0]?.batches;
  return (
    <SavedPanel
      title={`Batches at ${question.mpps} Mpackets/s`}
      name={fileName("batches", inputs.scenario)}
      what="shares of batch sizes"
      aside={<span className="soft">share of each batch size, of one lcore</span>}
      rows={sizes && (() => batchesFile(sizes))}
      pictured
    >
      <Answered query={query}>
        {(answer) => <Histogram answer={answer} beside={atMeasuredLoad(inputs, question)} />}
      </Answered>
      <MeasuredNote inputs={inputs} question={question} />
    </SavedPanel>
  );
}

function MeasuredNote({ inputs, question }: { inputs: ModelInputs; question: Question }) {
  if (measuredBatches(inputs, question) === null)
    return (
      <p className="assumes">
        Note: batch times are assumed, not measured:{" "}
        {said(inputs.missing.batches ?? "too few sizes were measured")}.
      </p>
    );
  return (
    <p className="assumes">
      Note: batch times are measured by size
      {atMeasuredLoad(inputs, question)
        ? "."
        : `; the run's own batches are of ${figure(inputs.pps, "packets/s")} on ${lcoresText(inputs.lcores)}, ${
            inputs.load === "closed" ? "all that they carry" : "a fixed rate"
          }, and are not compared with another load.`}
    </p>
  );
}

/** Shares below this are not drawn. */
const LEAST_SHARE = 1e-4;

interface HistogramProps {
  answer: QueueAnswer;
  /** Measured at the same load. */
  beside: boolean;
}

function Histogram({ answer, beside }: HistogramProps) {
  const load = answer.loads[0];
  if (load === undefined) return null;
  const points = load.batches
    .map((share, size): Point => [size, share])
    .filter(([, share]) => share >= LEAST_SHARE);
  const measured = (beside && answer.measured ? answer.measured : [])
    .map((share, size): Point => [size, share])
    .filter(([, share]) => share >= LEAST_SHARE);
  const all = [...points, ...measured];
  const [from, to] = [Math.min(...all.map(([size]) => size)), Math.max(...all.map(([size]) => size))];
  const { agreement } = answer;
  return (
    <>
      <CurvePlot
        label={`Batch sizes from ${from} to ${to}, ${figure(load.mean_batch, "", 3)} on average`}
        x={{ name: "packets in a batch", low: Math.max(from - 1, -0.5), high: to + 1, text: wholeText }}
        y={{ name: "share", low: 0, high: Math.max(...all.map(([, share]) => share)) * 1.1, text: percent }}
        bars={{ name: "predicted", points }}
        dots={measured.length > 0 ? { name: "measured", points: measured } : undefined}
        marks={[{ name: `mean ${figure(load.mean_batch, "", 3)}`, x: load.mean_batch }]}
      />
      {beside && agreement && (
        <p>
          Against the measured batches: divergence (JSD) {figure(agreement.divergence, "", 3)} of at most
          0.693, mean batch {signed(agreement.difference, 2)} packets (
          {(100 * agreement.relative_error).toFixed(1)}
          {THIN}%).
        </p>
      )}
    </>
  );
}

function LoadPanel({ project, inputs, question }: Props) {
  const query = useQuery(queueAnswerQuery(project, loadsInput(inputs, question)));
  const { data } = query;
  return (
    <SavedPanel
      title="Loss and delay over load"
      name={fileName("load", inputs.scenario)}
      what="loss and delay"
      aside={<span className="soft">with a queue of {question.queue} packets for each lcore</span>}
      rows={
        data &&
        (() =>
          table(data.loads, {
            "load [packets/s]": (one) => one.pps,
            lcores: (one) => one.lcores,
            "lost [ratio]": (one) => one.loss,
            "mean_delay [us]": (one) => one.delay_us,
            "p99_delay [us]": (one) => one.delay_p99_us,
            "mean_batch [packets]": (one) => one.mean_batch,
          }))
      }
      pictured
    >
      <Answered query={query}>{(answer) => <Loads answer={answer} requested={question.mpps} />}</Answered>
    </SavedPanel>
  );
}

function Loads({ answer, requested }: { answer: QueueAnswer; requested: number }) {
  const { loads } = answer;
  const curve = (of: (load: QueueAnswer["loads"][number]) => number): Point[] =>
    loads.map((load): Point => [load.pps / 1e6, of(load)]);
  const last = Math.max(...loads.map((load) => load.pps / 1e6));
  const delays = loads.flatMap((load) => [load.delay_us, load.delay_p99_us]);
  const x = { name: "load, Mpackets/s", low: 0, high: last, text: mpps };
  const marks = requested <= last ? [{ name: `${requested} Mpackets/s`, x: requested }] : [];
  return (
    <>
      <div className="panel-grid">
        <CurvePlot
          label={`Share of packets lost, up to ${plain(last)} Mpackets/s`}
          x={x}
          y={{ name: "lost", low: 0, high: Math.max(...loads.map((load) => load.loss), 0.01), text: percent }}
          curves={[{ name: "lost", color: "var(--part-pipeline)", points: curve((load) => load.loss) }]}
          marks={marks}
        />
        <CurvePlot
          label={`Delay, up to ${plain(last)} Mpackets/s`}
          x={x}
          y={{
            name: "delay",
            low: Math.min(...delays) / 1.2,
            high: Math.max(...delays) * 1.2,
            log: true,
            text: (value) => `${plain(value)}${THIN}µs`,
          }}
          curves={[
            { name: "mean delay", color: "var(--head-dot)", points: curve((load) => load.delay_us) },
            {
              name: "99th percentile",
              color: "var(--part-whole)",
              dash: "6 3",
              points: curve((load) => load.delay_p99_us),
            },
          ]}
          marks={marks}
        />
      </div>
      <ScrollTable label="Loads">
        <thead>
          <tr>
            <th>Mpackets/s</th>
            <th>lost</th>
            <th>mean delay, µs</th>
            <th>99th percentile, µs</th>
            <th>packets in a batch</th>
          </tr>
        </thead>
        <tbody>
          {loads.map((load) => (
            <tr key={load.pps}>
              <th scope="row">
                {figure(load.pps / 1e6, "", 3)} <Extrapolated when={load.extrapolated} />
              </th>
              <td>{lossText(load.loss)}</td>
              <td>{figure(load.delay_us, "", 3)}</td>
              <td>{figure(load.delay_p99_us, "", 3)}</td>
              <td>{figure(load.mean_batch, "", 3)}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </>
  );
}
