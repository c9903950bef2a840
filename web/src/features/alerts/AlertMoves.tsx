// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { AlertDetail, AlertMove } from "../../shared/api/types";
import { fateWord, reachOf } from "../../shared/logic/alerts";
import { share } from "../../shared/logic/hosts";
import { MetricName } from "../../shared/ui/Help";
import { ChangeText, changeOfRun } from "../../shared/ui/run/ChangeText";
import { ChangeWhisker } from "../../shared/ui/run/ChangeWhisker";

/** Every series that moved, with its size and what it rests on; and the scenarios that did not. */
export function AlertMoves({ alert }: { alert: AlertDetail }) {
  const size = ({ ratio }: AlertMove): number =>
    ratio === null ? Number.MAX_VALUE : Math.abs(Math.log(ratio));
  const moves = [...alert.moves].sort((a, b) => size(b) - size(a));
  const evident = moves.some((one) => one.run_id !== null || one.change_point_id !== null);
  const reach = reachOf(alert.moves.flatMap((one) => [one.ratio, one.high]));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll-x" tabIndex={0} aria-label="Series that moved">
        <table className="table pinned">
          <thead>
            <tr>
              <th className="left">Scenario</th>
              <th className="left">Stage</th>
              <th className="left">Metric</th>
              <th className="left">Change</th>
              <th className="left">Seen</th>
              <th className="left">Taken as</th>
              {evident && <th className="left">Evidence</th>}
            </tr>
          </thead>
          <tbody>
            {moves.map((one) => (
              <tr key={`${one.scenario} ${one.host_class} ${one.stage} ${one.metric} ${one.source}`}>
                <th scope="row">
                  {one.scenario}
                  <span className="under">{one.host_class}</span>
                </th>
                <td className="left">{one.stage}</td>
                <td className="left">
                  <MetricName name={one.metric} />
                </td>
                <td className="left">
                  {alert.kind === "broken" ? "does not work" : <Change move={one} reach={reach} />}
                </td>
                <td className="left">{one.source === "pair" ? "side by side" : "in the history"}</td>
                <td className="left">
                  {fateWord(one.fate)}
                  {one.floor !== null && (
                    <span className="under">noise taught: {share(Math.expm1(one.floor))}</span>
                  )}
                </td>
                {evident && (
                  <td className="left">
                    <Evidence project={alert.project} move={one} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="small">
        {alert.scenarios_same.length > 0
          ? `Measured at this commit, and the same: ${alert.scenarios_same.join(", ")}.`
          : "No other scenario was measured at this commit and found the same."}
      </p>
    </>
  );
}

/** What a run found of the chain's cycles is the run's change. */
const quantityOf = ({ metric, stage, source, run_id }: AlertMove): string | undefined =>
  metric === "cpp" && stage === "chain" && source === "pair" && run_id !== null
    ? changeOfRun(run_id)
    : undefined;

/** Of an alert's moves each is for the worse, whichever direction its metric has. */
function Change({ move, reach }: { move: AlertMove; reach: number }) {
  if (move.ratio === null)
    return <span className="soft">{move.stage === "chain" ? "from or to 0" : "no ratio of its own"}</span>;
  const of = { ratio_cpp: move.ratio, low: move.low, high: move.high };
  return (
    <span className="change-cell">
      <ChangeText of={of} quantity={quantityOf(move)} />
      <ChangeWhisker of={of} display="regressed" reach={reach} />
    </span>
  );
}

function Evidence({ project, move }: { project: string; move: AlertMove }) {
  if (move.run_id === null)
    return move.change_point_id === null ? (
      ""
    ) : (
      <Link
        to="/p/$project/history"
        params={{ project }}
        search={{
          scenario: move.scenario,
          metric: move.metric,
          stages: move.stage,
          host_class: move.host_class,
        }}
      >
        change point {move.change_point_id}
      </Link>
    );
  return (
    <>
      <Link to="/p/$project/runs/$runId" params={{ project, runId: move.run_id }}>
        run <span className="mono">{move.run_id.slice(0, 8)}</span>
      </Link>{" "}
      <a href={`/api/v1/runs/${move.run_id}/report`}>report</a>
    </>
  );
}
