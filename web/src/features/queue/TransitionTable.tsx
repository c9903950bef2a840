// SPDX-License-Identifier: Apache-2.0
import type { Transition } from "../../shared/api/types";
import { duration, moment, said } from "../../shared/logic/text/format";
import { stateWord } from "../../shared/ui/jobs/JobProgress";

/** Each change of a job's state: when, how long it stayed, why, and by whom. */
export function TransitionTable({ transitions }: { transitions: readonly Transition[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scroll-x" tabIndex={0} aria-label="Changes of state">
      <table className="table">
        <thead>
          <tr>
            <th className="left">State</th>
            <th className="left">Since</th>
            <th>For</th>
            <th className="left">Why</th>
            <th className="left">By</th>
          </tr>
        </thead>
        <tbody>
          {transitions.map((one, index) => (
            <tr key={`${one.at} ${one.state}`}>
              <th scope="row">{stateWord(one.state)}</th>
              <td className="left">{moment(one.at)}</td>
              <td>{stay(one, transitions[index + 1])}</td>
              <td className="left wrap">{said(one.reason)}</td>
              <td className="left">{one.who ?? "the server"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const stay = (from: Transition, to: Transition | undefined): string =>
  to === undefined ? "" : duration((Date.parse(to.at) - Date.parse(from.at)) / 1000);
