// SPDX-License-Identifier: Apache-2.0

import { IntervalBar } from "../../shared/charts/IntervalBar";
import { type Axis, axisOf } from "../../shared/logic/charts/axis";
import { byChain, cheapest, type ModelFigures, modelWord } from "../../shared/logic/run/models";
import { type ColumnUnit, columnUnit, figure, inColumn, MISSING } from "../../shared/logic/text/format";
import { MetricName } from "../../shared/ui/Help";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { ChangeText } from "../../shared/ui/run/ChangeText";

/** Chain x execution model, metric by metric; the bar is CPP from 0, on one axis for all. */
export function ModelTable({ label, rows }: { label: string; rows: readonly ModelFigures[] }) {
  const axis = axisOf(
    rows.map((row) => ({ value: row.cpp })),
    0,
    1,
  );
  const rate = columnUnit(
    rows.map((row) => row.pps),
    "packets/s",
  );
  return (
    <ScrollTable label={label}>
      <thead>
        <tr>
          <th className="left">Chain</th>
          <th className="left">Model</th>
          <th>
            <MetricName name="cpp" />, cycles/packet
          </th>
          <th className="left">from 0</th>
          <th>
            <MetricName name="ipp" />
          </th>
          <th>
            <MetricName name="eipc" />
          </th>
          <th>
            <MetricName name="pps" />, {rate.unit}
          </th>
          <th>CPP against the first [interval]</th>
        </tr>
      </thead>
      {byChain(rows).map((group) => (
        <tbody key={`${group[0]?.chain} ${group[0]?.where}`}>
          {group.map((row, index) => (
            <tr key={`${row.model}${row.note}`}>
              {index === 0 && (
                <th scope="rowgroup" rowSpan={group.length}>
                  {row.chain}
                </th>
              )}
              <Cells row={row} best={cheapest(group) === row} axis={axis} rate={rate} />
            </tr>
          ))}
        </tbody>
      ))}
    </ScrollTable>
  );
}

interface CellsProps {
  row: ModelFigures;
  best: boolean;
  axis: Axis;
  rate: ColumnUnit;
}

function Cells({ row, best, axis, rate }: CellsProps) {
  return (
    <>
      <td className="left">
        {modelWord(row.model)}
        {best && <span className="tag best">fewest cycles</span>}
        {row.note && <span className="under">{row.note}</span>}
      </td>
      <td className={best ? "strong" : undefined}>{figure(row.cpp)}</td>
      <td className="left">
        <IntervalBar of={{ value: row.cpp }} axis={axis} />
      </td>
      <td>{figure(row.ipp)}</td>
      <td>{figure(row.eipc, "", 3)}</td>
      <td>{inColumn(row.pps, rate)}</td>
      <td>
        {row.ratio === null ? (
          MISSING
        ) : (
          <ChangeText of={{ ratio_cpp: row.ratio, low: row.low, high: row.high }} />
        )}
      </td>
    </>
  );
}
