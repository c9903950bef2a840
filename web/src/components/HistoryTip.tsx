// SPDX-License-Identifier: Apache-2.0
import { useComputedColorScheme } from "@mantine/core";
import type { Lines } from "../api/types";
import { figure, MISSING, moment, shortSha } from "../logic/format";
import type { HistoryEvent } from "../logic/historyEvents";
import { runAt, type Series } from "../logic/lines";
import { stageInk } from "../logic/palette";
import { VerdictWord } from "./VerdictBadge";

interface Props {
  shown: Lines;
  place: number;
  series: readonly Series[];
  /** Fix the colours. */
  inks: readonly string[];
  events: readonly HistoryEvent[];
}

/** A commit under the pointer: verdict, values, and what happened there. */
export function HistoryTip({ shown, place, series, inks, events }: Props) {
  const dark = useComputedColorScheme("light") === "dark";
  const { commits, metric, lines, releases } = shown;
  const run = runAt(lines, place);
  const at = commits.committed_at[place];
  return (
    <>
      {run && <VerdictWord display={run.line.display[run.index] ?? ""} />}
      <div className="strong">{commits.subject[place]}</div>
      <div className="soft">
        <span className="mono">{shortSha(commits.sha[place] ?? "")}</span>
        {at && ` · ${moment(at)}`}
      </div>
      {releases
        .filter((one) => one.at === place)
        .map((one) => (
          <div key={one.name} className="strong">
            {one.name}
          </div>
        ))}
      <table>
        <tbody>
          {series.map((one) => (
            <tr key={one.stage}>
              <td style={{ color: stageInk(one.stage, inks, dark).color, fontWeight: 600 }}>{one.stage}</td>
              <td>{figure(one.value[place], metric.unit) || MISSING}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {events.map((one) => (
        <div key={one.key} className="tip-event">
          {one.text}
        </div>
      ))}
    </>
  );
}
