// SPDX-License-Identifier: Apache-2.0
import type { Proportion } from "../../shared/api/types";
import { IntervalBar } from "../../shared/charts/IntervalBar";
import { bounds, percent, rateAxis } from "../../shared/logic/run/rates";
import { Help } from "../../shared/ui/Help";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";

export interface RateRow {
  name: string;
  /** In a second line. */
  under?: string;
  of: Proportion;
}

interface Props {
  label: string;
  /** Heading of the first column. */
  first: string;
  rows: readonly RateRow[];
  color?: string;
}

/** Rates of groups: hits of trials, rate, bounds, and a bar from 0 to the end of the axis. */
export function RateTable({ label, first, rows, color = "var(--part-instructions)" }: Props) {
  const axis = rateAxis(rows.map((row) => row.of));
  return (
    <ScrollTable label={label} className="rates">
      <thead>
        <tr>
          <th className="left">{first}</th>
          <th>Hits of trials</th>
          <th>Rate</th>
          <th>
            <Help text="Each bound is one-sided and exact (Clopper and Pearson), at 95 % for itself.">
              Bounds
            </Help>
          </th>
          <th className="left">0 to {Math.round(axis.high * 100)} %</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, under, of }) => (
          <tr key={name}>
            <th scope="row">
              {name}
              {under && <span className="under">{under}</span>}
            </th>
            <td>
              {of.hits} of {of.trials}
            </td>
            <td>{percent(of.rate)}</td>
            <td>{bounds(of)}</td>
            <td className="left">
              <IntervalBar of={{ value: of.rate, low: of.low, high: of.high }} axis={axis} color={color} />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
