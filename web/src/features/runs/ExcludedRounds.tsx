// SPDX-License-Identifier: Apache-2.0
import type { RunReport } from "../../shared/api/types";
import { Panel } from "../../shared/ui/Panel";

type Round = NonNullable<RunReport["rounds"]>[number];

/** Rounds that took no part in the analysis, and why. */
export function ExcludedRounds({ rounds }: { rounds: readonly Round[] }) {
  const aside = rounds.filter((round) => round.set_aside);
  if (aside.length === 0) return null;
  return (
    <Panel
      title="Rounds set aside"
      aside={<span className="soft">{`${aside.length} of ${rounds.length}`}</span>}
    >
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
                <td className="left wrap">{round.set_aside}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Panel>
  );
}
