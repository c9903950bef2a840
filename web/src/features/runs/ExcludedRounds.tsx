// SPDX-License-Identifier: Apache-2.0
import type { RunCounts } from "../../shared/api/types";
import { Panel } from "../../shared/ui/Panel";

/** Rounds that took no part in the analysis, and why. */
export function ExcludedRounds({ aside, rounds }: { aside: RunCounts["rounds_set_aside"]; rounds: number }) {
  if (aside.length === 0) return null;
  return (
    <Panel title="Rounds set aside" aside={<span className="soft">{`${aside.length} of ${rounds}`}</span>}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="scroll-x" tabIndex={0} aria-label="Table of rounds set aside">
        <table className="table">
          <thead>
            <tr>
              <th className="left">Launch, turn</th>
              <th className="left">Arm</th>
              <th className="left">Why</th>
            </tr>
          </thead>
          <tbody>
            {aside.map((round) => (
              <tr key={`${round.launch}.${round.turn}.${round.arm}`}>
                <th scope="row">
                  {round.launch}, {round.turn}
                </th>
                <td className="left">{round.arm}</td>
                <td className="left wrap">{round.why}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Panel>
  );
}
