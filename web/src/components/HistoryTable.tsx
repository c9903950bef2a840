// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { Alert, History } from "../api/types";
import { MISSING, significant } from "../logic/format";
import { eventsAt } from "../logic/historyEvents";
import { VerdictBadge } from "./VerdictBadge";

interface Props {
  project: string;
  history: History;
  stages: readonly string[];
  alerts: readonly Alert[];
}

/** The figures of a chart as text, newest commit first. */
export function HistoryTable({ project, history, stages, alerts }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="scroll-x" tabIndex={0} aria-label={`${history.metric.title} per commit`}>
      <table className="table pinned">
        <thead>
          <tr>
            <th className="left">Commit</th>
            <th className="left">Verdict</th>
            {stages.map((stage) => (
              <th key={stage}>{stage}</th>
            ))}
            <th className="left">Besides</th>
          </tr>
        </thead>
        <tbody>
          {[...history.points].reverse().map((point) => (
            <tr key={point.run_id}>
              <th scope="row">
                <Link
                  to="/p/$project/compare"
                  params={{ project }}
                  search={{
                    ...(point.base_sha ? { base: point.base_sha } : {}),
                    head: point.sha,
                    scenario: history.scenario,
                  }}
                >
                  <span className="mono">{point.short_sha}</span>
                </Link>{" "}
                {point.subject}
              </th>
              <td className="left">
                <VerdictBadge display={point.display} />
              </td>
              {stages.map((stage) => {
                const value = point.values[stage];
                return (
                  <td key={stage}>
                    {value ? significant(value.value) : MISSING}
                    {value?.low != null && value.high != null && (
                      <span className="under">
                        {significant(value.low)} to {significant(value.high)}
                      </span>
                    )}
                  </td>
                );
              })}
              <td className="left wrap">
                <Besides project={project} sha={point.sha} history={history} alerts={alerts} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface BesidesProps {
  project: string;
  sha: string;
  history: History;
  alerts: readonly Alert[];
}

/** Findings, changes of level and new segments at a commit; a finding is a link. */
function Besides({ project, sha, history, alerts }: BesidesProps) {
  return eventsAt(sha, history, alerts).map((one) => (
    <div key={one.key}>
      {one.alertId === null ? (
        one.text
      ) : (
        <Link to="/p/$project/alerts/$id" params={{ project, id: String(one.alertId) }}>
          {one.text}
        </Link>
      )}
    </div>
  ));
}
