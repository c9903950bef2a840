// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { experimentQuery } from "../../api/experiments";
import type { ExperimentDetail } from "../../api/types";
import { IntervalBar } from "../../charts/IntervalBar";
import { axisOf } from "../../logic/charts/axis";
import { ScrollTable } from "../lists/ScrollTable";
import { ChangeText } from "../run/ChangeText";

/** The axis is at least so wide: noise is not blown up. */
const LEAST_SPAN = 0.05;
const USES: Record<ExperimentDetail["taken"][number]["use"], string> = {
  fit: "fitted on",
  held_out: "held out",
  reference: "reference against itself",
  variant: "variant",
};

/** What an experiment's cells gave so far; asked for when opened. */
export function ExperimentCells({ number }: { number: number }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="cells" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Cells of experiment {number}</summary>
      {open && <Cells number={number} />}
    </details>
  );
}

function Cells({ number }: { number: number }) {
  const { data, error } = useQuery(experimentQuery(number));
  if (data === undefined) return <p className="soft">{error ? error.message : "Loading"}</p>;
  if (data.taken.length === 0) return <p className="soft">None is in.</p>;
  const axis = axisOf(
    data.taken.map(({ ratio, low, high }) => ({ value: ratio, low, high })),
    1,
    LEAST_SPAN,
  );
  return (
    <ScrollTable label={`Cells of experiment ${number}`}>
      <thead>
        <tr>
          <th className="left">Cell</th>
          <th className="left">For</th>
          <th>CPP, head against base [interval]</th>
          <th className="left">saves | costs</th>
          <th className="left">Host</th>
        </tr>
      </thead>
      <tbody>
        {data.taken.map((cell) => (
          <tr key={cell.number}>
            <th scope="row">
              <a href={`/api/v1/experiments/${number}/cells/${cell.number}/report`}>{cell.name}</a>
            </th>
            <td className="left">{USES[cell.use]}</td>
            <td>
              {cell.unusable ? (
                <span className="held wrap-text">{cell.unusable}</span>
              ) : (
                <ChangeText of={{ ratio_cpp: cell.ratio, low: cell.low, high: cell.high }} />
              )}
            </td>
            <td className="left">
              <IntervalBar of={{ value: cell.ratio, low: cell.low, high: cell.high }} axis={axis} />
            </td>
            <td className="left">{cell.host}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
