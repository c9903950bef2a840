// SPDX-License-Identifier: Apache-2.0
import type { Proportion, Quality } from "../../shared/api/types";
import { IntervalBar } from "../../shared/charts/IntervalBar";
import type { Axis } from "../../shared/logic/charts/axis";
import { bounds, hasTrials, percent, rateAxis } from "../../shared/logic/run/rates";
import { ratesFile } from "../../shared/logic/text/figureFiles";
import { MISSING, monthWord } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";

/** Rates that are good when they are high are drawn to the whole. */
const WHOLE: Axis = { low: 0, high: 1, zero: 0 };

/** The rates month by month, newest first. */
export function MonthTable({ project, months }: { project: string; months: Quality["months"] }) {
  const axes = {
    detection: WHOLE,
    false_alarms: rateAxis(months.map((month) => month.false_alarms)),
    accepted: WHOLE,
  };
  return (
    <SavedPanel
      title="Over time"
      aside={<span className="soft">by month, with bounds at 95 %</span>}
      name={`${project}-quality-by-month`}
      what="quality by month"
      rows={months.length > 0 ? () => monthsFile(months) : undefined}
      pictured
    >
      {months.length === 0 ? (
        <p className="soft">Nothing is known of any month yet.</p>
      ) : (
        <ScrollTable label="Quality by month">
          <thead>
            <tr>
              <th className="left">Month</th>
              <th className="left">Detected, 0 to {Math.round(axes.detection.high * 100)} %</th>
              <th className="left">False alarms, 0 to {Math.round(axes.false_alarms.high * 100)} %</th>
              <th className="left">Findings accepted, 0 to {Math.round(axes.accepted.high * 100)} %</th>
            </tr>
          </thead>
          <tbody>
            {[...months].reverse().map((month) => (
              <tr key={month.month}>
                <th scope="row" className="number">
                  {monthWord(month.month)}
                </th>
                <Rate of={month.detection} axis={axes.detection} color="var(--part-instructions)" />
                <Rate of={month.false_alarms} axis={axes.false_alarms} color="var(--part-pipeline)" />
                <Rate of={month.accepted} axis={axes.accepted} color="var(--part-whole)" />
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
    </SavedPanel>
  );
}

const monthsFile = (months: Quality["months"]) =>
  ratesFile(
    months.map(({ month, detection, false_alarms, accepted }) => ({
      group: month,
      rates: [
        { name: "detected", of: detection },
        { name: "false alarms", of: false_alarms },
        { name: "findings accepted", of: accepted },
      ],
    })),
  );

function Rate({ of, axis, color }: { of: Proportion; axis: Axis; color: string }) {
  if (!hasTrials(of)) return <td className="left">{MISSING}</td>;
  return (
    <td className="left">
      {percent(of.rate)}{" "}
      <span className="soft">
        {of.hits} of {of.trials}
      </span>
      <span className="under">{bounds(of)}</span>
      <IntervalBar of={{ value: of.rate, low: of.low, high: of.high }} axis={axis} color={color} />
    </td>
  );
}
