// SPDX-License-Identifier: Apache-2.0
import type { ExperimentDetail, FeatureFit, FeaturesResult } from "../../shared/api/types";
import { IntervalBar } from "../../shared/charts/IntervalBar";
import { axisOf } from "../../shared/logic/charts/axis";
import { percent } from "../../shared/logic/run/rates";
import { fileName } from "../../shared/logic/text/csv";
import { fitFile } from "../../shared/logic/text/figureFiles";
import { figure, MISSING, shortSha, signed } from "../../shared/logic/text/format";
import { Help } from "../../shared/ui/Help";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { NoteList } from "../../shared/ui/NoteList";
import { Facts } from "../../shared/ui/run/HostFacts";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { setText } from "./prices";

interface Props {
  fit: FeatureFit;
  of: Pick<ExperimentDetail, "id" | "sha" | "host_class">;
  result: FeaturesResult;
}

/** One scenario's cost model: its terms, its error, and what it predicts of sets it was not fitted on. */
export function FitPanel({ fit, of, result }: Props) {
  const where = `experiment ${of.id} on ${shortSha(of.sha)}${of.host_class ? `, ${of.host_class}` : ""}`;
  return (
    <SavedPanel
      title={`Cost model of ${fit.scenario}`}
      aside={<span className="soft">{where}</span>}
      name={fileName("cost-model", fit.scenario, `experiment-${of.id}`)}
      what={`the cost model of ${fit.scenario}`}
      rows={fit.model ? () => fitFile(fit) : undefined}
      pictured
    >
      {fit.refused && <p role="note">No model: {fit.refused}</p>}
      {result.partial && (
        <p className="held">
          Not all cells gave a ratio: {result.taken} of {result.cells}.
        </p>
      )}
      <Errors fit={fit} />
      {fit.model && <Terms fit={fit} />}
      <Predictions fit={fit} />
      {fit.notes.length > 0 && <NoteList notes={fit.notes} />}
    </SavedPanel>
  );
}

function Errors({ fit }: { fit: FeatureFit }) {
  const sets = fit.model?.sets.length ?? 0;
  const pairs: [string, string][] = [
    ["Reference", `${setText(fit.reference)}: ${figure(fit.reference_cpp)} cycles/packet`],
    ["Fitted on", fit.model ? `${sets} feature sets` : MISSING],
    ["Error, sets held out", orMissing(fit.model?.held_out_error)],
    ["Error, each set left out in turn", orMissing(fit.left_out_error)],
    ["Reference against itself", driftText(fit)],
  ];
  return <Facts pairs={pairs} />;
}

const orMissing = (error: number | null | undefined): string =>
  error == null ? "not known: none could be left out" : `${percent(error)} root mean square`;

function driftText({ drift }: FeatureFit): string {
  if (drift.length === 0) return MISSING;
  const worst = drift.reduce((a, b) => (Math.abs(b.ratio - 1) > Math.abs(a.ratio - 1) ? b : a));
  return `at most ${signed((worst.ratio - 1) * 100, 2)} % off, ${drift.length} times`;
}

function Terms({ fit }: { fit: FeatureFit }) {
  const terms = fit.model?.terms ?? [];
  const axis = axisOf(
    terms.map(({ cycles }) => ({ value: cycles })),
    0,
    1,
  );
  return (
    <>
      <h3 className="part-head">CPP of a feature set is the sum of these</h3>
      <ScrollTable label={`Terms of the cost model of ${fit.scenario}`}>
        <thead>
          <tr>
            <th className="left">Where on</th>
            <th>cycles/packet</th>
            <th className="left">from 0</th>
          </tr>
        </thead>
        <tbody>
          {terms.map(({ features, cycles }) => (
            <tr key={features.join()}>
              <th scope="row">{features.length === 0 ? "always" : features.join(" with ")}</th>
              <td>{signed(cycles, 2)}</td>
              <td className="left">
                <IntervalBar of={{ value: cycles }} axis={axis} color="var(--part-whole)" />
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </>
  );
}

function Predictions({ fit }: { fit: FeatureFit }) {
  if (fit.predictions.length === 0) return null;
  return (
    <>
      <h3 className="part-head">
        <Help text="Predictions for feature sets that the model was not fitted on, and their measured cost. Without them a model is only a summary.">
          Predicted and measured
        </Help>
      </h3>
      <ScrollTable label={`Predictions of the cost model of ${fit.scenario}`}>
        <thead>
          <tr>
            <th className="left">Feature set</th>
            <th>Measured, cycles/packet</th>
            <th>Predicted</th>
            <th>Error</th>
            <th className="left">Set was</th>
          </tr>
        </thead>
        <tbody>
          {fit.predictions.map((one) => (
            <tr key={`${one.features.join()}${one.held_out}`}>
              <th scope="row">{setText(one.features)}</th>
              <td>{figure(one.measured)}</td>
              <td>{figure(one.predicted)}</td>
              <td>{signed(one.error * 100, 2)} %</td>
              <td className="left">{one.held_out ? "held out" : "left out in turn"}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </>
  );
}
