// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { Expectation } from "../../../shared/api/types";
import { change, moment, shortSha } from "../../../shared/logic/text/format";
import { ratio } from "../../../shared/logic/text/units";
import { MetricName } from "../../../shared/ui/Help";
import { ScrollTable } from "../../../shared/ui/lists/ScrollTable";

const SOURCE_WORDS: Record<string, string> = {
  commit: "in the commit's message",
  request: "in the pull request",
  triage: "at an alert",
};

interface Props {
  project: string;
  of: readonly Expectation[];
}

/** Changes somebody said would come, and up to what. */
export function ExpectationTable({ project, of }: Props) {
  if (of.length === 0)
    return (
      <p className="soft">
        No declared changes. A commit declares one with the trailer <code>Nalm-Expect:</code>; marking an
        alert as expected declares one too.
      </p>
    );
  return (
    <ScrollTable label="Declared changes, newest first">
      <thead>
        <tr>
          <th className="left">Commit</th>
          <th className="left">Scenario</th>
          <th className="left">Metric</th>
          <th>Up to</th>
          <th className="left">Why</th>
          <th className="left">Who</th>
        </tr>
      </thead>
      <tbody>
        {of.map((one) => (
          <tr key={one.id}>
            <th scope="row" className="left">
              <Link to="/p/$project/compare" params={{ project }} search={{ head: one.sha }} className="mono">
                {shortSha(one.sha)}
              </Link>
            </th>
            <td className="left">{one.scenario}</td>
            <td className="left">
              <MetricName name={one.metric} />
            </td>
            <td className="number">{one.bound === null ? "any size" : change(ratio(one.bound))}</td>
            <td className="left wrap">{one.reason}</td>
            <td className="left">
              {one.who}
              <span className="under">
                {SOURCE_WORDS[one.source] ?? one.source}, {moment(one.created_at)}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
