// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { speedupQuery } from "../../shared/api/predictions";
import type { ModelInputs, SpeedupAnswer } from "../../shared/api/types";
import { CurvePlot } from "../../shared/charts/CurvePlot";
import type { PlotMark, Point } from "../../shared/charts/curves";
import { ticks } from "../../shared/logic/run/rounds";
import { fileName, table } from "../../shared/logic/text/csv";
import { figure, plain } from "../../shared/logic/text/format";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { Answered, Extrapolated } from "./Answered";
import { lcoresText } from "./AnswerPanel";
import { speedupInput } from "./question";

const TICKS = 6;

interface Props {
  project: string;
  inputs: ModelInputs;
  lcores: number;
}

/** Speedup with lcores: measured, fitted with its interval, ceiling and peak. */
export function SpeedupPanel({ project, inputs, lcores }: Props) {
  const query = useQuery(speedupQuery(project, speedupInput(inputs, lcores)));
  const { data } = query;
  return (
    <SavedPanel
      title="Speedup with lcores"
      name={fileName("speedup", inputs.scenario)}
      what="speedup"
      aside={data && <span className="soft">relative to {lcoresText(data.reference)}</span>}
      rows={
        data &&
        (() =>
          table(data.predictions, {
            lcores: (one) => one.lcores,
            speedup: (one) => one.speedup.value,
            low: (one) => one.speedup.low,
            high: (one) => one.speedup.high,
            "rate [packets/s]": (one) => one.rate,
            extrapolated: (one) => (one.extrapolated ? "yes" : "no"),
          }))
      }
      pictured
    >
      <Answered
        query={query}
        advice="Measure scenarios of one commit that differ in their number of lcores alone, or run nalm model speedup with rates of your own."
      >
        {(answer) => <SpeedupPlot answer={answer} />}
      </Answered>
    </SavedPanel>
  );
}

/** The curve beside the measured numbers of lcores. */
export function SpeedupPlot({ answer }: { answer: Omit<SpeedupAnswer, "ranges"> }) {
  const { predictions, points, peak, ceiling, cap } = answer;
  const line = predictions.map((one): Point => [one.lcores, one.speedup.value]);
  const bounded = predictions.filter(({ speedup }) => speedup.low !== null && speedup.high !== null);
  const low = bounded.map((one): Point => [one.lcores, one.speedup.low ?? 0]);
  const high = bounded.map((one): Point => [one.lcores, one.speedup.high ?? 0]);
  const last = Math.max(...predictions.map((one) => one.lcores));
  const marks: PlotMark[] = [
    ...(ceiling ? [{ name: `ceiling ${figure(ceiling.value, "", 3)}`, y: ceiling.value }] : []),
    ...(peak && peak.value <= last
      ? [{ name: `peak at ${figure(peak.value, "", 3)} lcores`, x: peak.value }]
      : []),
    ...(cap ? [{ name: `another bound at ${figure(cap.speedup, "", 3)}`, y: cap.speedup }] : []),
    ...(answer.greatest < last
      ? [{ name: `beyond ${lcoresText(answer.greatest)}: extrapolated`, x: answer.greatest }]
      : []),
  ];
  const values = [...line, ...points.map(({ lcores, measured }): Point => [lcores, measured])].map(
    ([, y]) => y,
  );
  const end = Math.max(last, 2);
  const most = Math.max(...values, ceiling?.value ?? 0);
  return (
    <>
      <CurvePlot
        label={`Speedup from 1 to ${last} lcores, measured at ${points.map((one) => one.lcores).join(", ")}`}
        x={{
          name: "lcores",
          low: 1,
          high: end,
          ticks: ticks(1, end, TICKS).filter(Number.isInteger),
          text: plain,
        }}
        y={{ name: "speedup", low: 0, high: most * 1.1, text: plain }}
        curves={[{ name: "fitted", color: "var(--head-dot)", points: line }]}
        band={low.length > 1 ? { name: "95 % interval", low, high } : undefined}
        dots={{ name: "measured", points: points.map((one): Point => [one.lcores, one.measured]) }}
        marks={marks}
      />
      {peak && ceiling && (
        <p>
          The peak is at {figure(peak.value, "", 3)} lcores with a speedup of {figure(ceiling.value, "", 3)}{" "}
          <Extrapolated when={peak.value > answer.greatest} />; more lcores cost throughput.
        </p>
      )}
    </>
  );
}
