// SPDX-License-Identifier: Apache-2.0
import { useComputedColorScheme } from "@mantine/core";
import type { HistoryEvent } from "../../shared/logic/charts/historyEvents";
import { stageInk } from "../../shared/logic/charts/palette";
import { changeWithInterval, moment, shortSha } from "../../shared/logic/text/format";
import { known, ratio } from "../../shared/logic/text/units";
import { VerdictWord } from "../../shared/ui/run/VerdictBadge";
import { runAt, type Series, valueText } from "./chartLines";
import type { HistoryLine, HistoryLines } from "./unpack";

interface Props {
  shown: HistoryLines;
  place: number;
  series: readonly Series[];
  /** Of their values. */
  unit: string;
  /** Fix the colours. */
  inks: readonly string[];
  events: readonly HistoryEvent[];
}

/** A commit under the pointer: verdict, values, and what happened there. */
export function HistoryTip({ shown, place, series, unit, inks, events }: Props) {
  const dark = useComputedColorScheme("light") === "dark";
  const { commits, lines, releases } = shown;
  const run = runAt(lines, place);
  const at = commits.committed_at[place];
  return (
    <>
      {run && <VerdictWord display={run.line.display[run.index] ?? ""} />}
      {run && <Judged of={run.line} index={run.index} />}
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
              <td>{valueText(one.value[place], unit)}</td>
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

/** What the run says of the commit: measured side by side with its base, whatever the host did since. */
function Judged({ of, index }: { of: HistoryLine; index: number }) {
  const [size, low, high] = [of.ratio_cpp[index], of.low[index], of.high[index]];
  if (size == null) return null;
  const base = of.base_sha[index];
  return (
    <div className="strong">
      {changeWithInterval(ratio(size), known(low, ratio), known(high, ratio))} cycles
      <span className="soft"> against its base {base ? shortSha(base) : ""}</span>
    </div>
  );
}
