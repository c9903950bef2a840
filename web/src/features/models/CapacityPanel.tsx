// SPDX-License-Identifier: Apache-2.0
import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { capacityQuery } from "../../shared/api/predictions";
import type { CapacityAnswer, ModelInputs } from "../../shared/api/types";
import { IntervalBar } from "../../shared/charts/IntervalBar";
import { axisOf } from "../../shared/logic/charts/axis";
import { fileName, table } from "../../shared/logic/text/csv";
import { columnUnit, figure, inColumn } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { ServerText } from "../../shared/ui/ServerText";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { Answered } from "./Answered";
import { ASSUMED_IPC, capacityInput, type Question } from "./question";
import type { PredictedSearch } from "./search";

const CHIPS = [
  { value: "own", label: "These lcores" },
  { value: "cpu", label: "Paper's CPU" },
  { value: "npu", label: "Paper's NPU" },
];

interface Props {
  project: string;
  inputs: ModelInputs;
  question: Question;
  chip: PredictedSearch["chip"];
  onChip: (chip: PredictedSearch["chip"]) => void;
}

/** The rate that each resource of a chip allows, and the one that binds. */
export function CapacityPanel({ project, inputs, question, chip, onChip }: Props) {
  const query = useQuery(capacityQuery(project, capacityInput(inputs, question, chip)));
  const { data } = query;
  return (
    <SavedPanel
      title="Capacity by resource"
      name={fileName("capacity", inputs.scenario)}
      what="capacity"
      aside={<span className="soft">the most that each resource allows</span>}
      rows={
        data &&
        (() =>
          table(Object.entries(data.bounds_pps), {
            resource: ([name]) => name,
            "bound [packets/s]": ([, bound]) => bound,
          }))
      }
      pictured
    >
      <div className="panel-controls">
        <SegmentedControl
          aria-label="Chip"
          size="xs"
          data={CHIPS}
          value={chip ?? "own"}
          onChange={(value) => onChip(value === "npu" || value === "cpu" ? value : undefined)}
        />
      </div>
      <Answered query={query}>{(answer) => <Bounds answer={answer} />}</Answered>
      {chip === undefined && inputs.supply === null && (
        <p className="assumes">
          Note: the supply of cores is {question.lcores} x {figure(inputs.frequency_hz, "Hz")} x {ASSUMED_IPC}{" "}
          instructions per cycle, which is assumed; nothing says what caches and memory supply:{" "}
          <ServerText>{inputs.missing.supply ?? ""}</ServerText>.
        </p>
      )}
      {inputs.demand === null && (
        <p className="assumes">
          Note: the demand is of the paper's provider bridging, not of this NF:{" "}
          <ServerText>{inputs.missing.demand ?? ""}</ServerText>.
        </p>
      )}
    </SavedPanel>
  );
}

function Bounds({ answer }: { answer: CapacityAnswer }) {
  const rows = Object.entries(answer.bounds_pps).sort(([, a], [, b]) => a - b);
  const rates = [...rows.map(([, bound]) => bound), ...(answer.measured_pps ? [answer.measured_pps] : [])];
  const unit = columnUnit(rates, "packets/s");
  const axis = axisOf(
    rates.map((value) => ({ value })),
    0,
    1,
  );
  return (
    <ScrollTable label="Bounds of resources">
      <thead>
        <tr>
          <th className="left">Resource</th>
          <th>at most, {unit.unit}</th>
          <th className="left">from 0</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, bound]) => (
          <tr key={name}>
            <th scope="row" className="left">
              {name}
              {name === answer.bottleneck && <span className="tag best">bottleneck</span>}
            </th>
            <td>{inColumn(bound, unit)}</td>
            <td className="left">
              <IntervalBar of={{ value: bound }} axis={axis} />
            </td>
          </tr>
        ))}
        {answer.measured_pps !== null && (
          <tr>
            <th scope="row" className="left">
              measured
            </th>
            <td>{inColumn(answer.measured_pps, unit)}</td>
            <td className="left">
              <IntervalBar of={{ value: answer.measured_pps }} axis={axis} color="var(--head-dot)" />
            </td>
          </tr>
        )}
      </tbody>
    </ScrollTable>
  );
}
