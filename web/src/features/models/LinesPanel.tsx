// SPDX-License-Identifier: Apache-2.0
import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { linesQuery } from "../../shared/api/predictions";
import type { LinesAnswer, LinesInput, ModelInputs } from "../../shared/api/types";
import { IntervalBar } from "../../shared/charts/IntervalBar";
import { axisOf } from "../../shared/logic/charts/axis";
import { fileName, table } from "../../shared/logic/text/csv";
import { bytes, plain, said } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { Answered } from "./Answered";
import { FLIGHT, linesInput } from "./question";
import { FLIGHTS, type PredictedSearch } from "./search";

interface Props {
  project: string;
  inputs: ModelInputs;
  flight: PredictedSearch["flight"];
  onFlight: (flight: PredictedSearch["flight"]) => void;
}

/** Whether packets in flight and their metadata fit the first-level data cache. */
export function LinesPanel({ project, inputs, flight, onFlight }: Props) {
  const input = linesInput(inputs, flight);
  if (input === null)
    return (
      <SavedPanel title="Cache lines" name="lines" what="cache lines" aside={null} rows={undefined}>
        <p className="soft">No answer: {said(inputs.missing.l1d_bytes ?? "")}.</p>
      </SavedPanel>
    );
  return <Lines project={project} scenario={inputs.scenario} input={input} onFlight={onFlight} />;
}

interface LinesProps {
  project: string;
  scenario: string;
  input: LinesInput;
  onFlight: Props["onFlight"];
}

function Lines({ project, scenario, input, onFlight }: LinesProps) {
  const query = useQuery(linesQuery(project, input));
  const { data } = query;
  return (
    <SavedPanel
      title="Cache lines"
      name={fileName("lines", scenario)}
      what="cache lines"
      aside={<span className="soft">first-level data cache of {bytes(input.cache_bytes)}</span>}
      rows={
        data &&
        (() =>
          table(data.rows, {
            "metadata [bytes]": (row) => row.metadata_bytes,
            layout: layoutOf,
            lines: (row) => row.lines,
            fits: (row) => (row.fits ? "yes" : "no"),
            most_packets: (row) => row.most_packets,
          }))
      }
      pictured
    >
      <div className="panel-controls">
        <span className="soft">Packets in flight</span>
        <SegmentedControl
          aria-label="Packets in flight"
          size="xs"
          data={[...FLIGHTS]}
          value={String(input.packets ?? FLIGHT)}
          onChange={(value) => onFlight(FLIGHTS.find((one) => one === value))}
        />
      </div>
      <Answered query={query}>{(answer) => <Rows answer={answer} />}</Answered>
    </SavedPanel>
  );
}

const layoutOf = ({ aggregated }: LinesAnswer["rows"][number]): string => (aggregated ? "together" : "apart");

function Rows({ answer }: { answer: LinesAnswer }) {
  const axis = axisOf(
    [...answer.rows.map((row) => ({ value: row.lines })), { value: answer.cache_lines }],
    0,
    1,
  );
  return (
    <>
      <p>
        {answer.most_metadata >= 0
          ? `Metadata that lie together fit up to ${plain(answer.most_metadata)} bytes per packet.`
          : "Not even the packets fit without metadata."}
      </p>
      <ScrollTable label="Layouts of metadata">
        <thead>
          <tr>
            <th>metadata, bytes</th>
            <th className="left">layout</th>
            <th>lines of {answer.cache_lines}</th>
            <th className="left">from 0</th>
            <th className="left">fits</th>
            <th>most packets</th>
          </tr>
        </thead>
        <tbody>
          {answer.rows.map((row) => (
            <tr key={`${row.metadata_bytes}${row.aggregated}`}>
              <th scope="row">{row.metadata_bytes}</th>
              <td className="left">{layoutOf(row)}</td>
              <td>{row.lines}</td>
              <td className="left">
                <IntervalBar
                  of={{ value: row.lines }}
                  axis={axis}
                  color={row.fits ? "var(--part-instructions)" : "var(--part-pipeline)"}
                />
              </td>
              <td className="left">{row.fits ? "yes" : "no"}</td>
              <td>{row.most_packets}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </>
  );
}
