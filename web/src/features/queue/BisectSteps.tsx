// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { BisectDetail, BisectStep } from "../../shared/api/types";
import { moment, said } from "../../shared/logic/text/format";
import { ShaLink } from "../../shared/ui/links/ShaLink";

/** Each commit that was looked at: what it was like, and why one thinks so. */
export function BisectSteps({ bisect }: { bisect: BisectDetail }) {
  if (bisect.steps.length === 0) return <p className="soft">None yet: the range is being read.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scroll-x" tabIndex={0} aria-label="Steps of the bisection">
      <table className="table">
        <thead>
          <tr>
            <th className="left">Commit</th>
            <th>After good</th>
            <th className="left">Found</th>
            <th className="left">Why</th>
            <th>Measurements</th>
            <th className="left">When</th>
          </tr>
        </thead>
        <tbody>
          {bisect.steps.map((step) => (
            <tr key={`${step.place} ${step.at}`} className={rowClass(bisect, step)}>
              <th scope="row">
                <ShaLink project={bisect.project} sha={step.sha} />
              </th>
              <td>{step.place}</td>
              <td className="left">
                <Found project={bisect.project} step={step} />
              </td>
              <td className="left wrap">{said(step.why ?? "")}</td>
              <td>{step.reused ? "reused" : step.measurements}</td>
              <td className="left">{moment(step.at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const rowClass = (bisect: BisectDetail, step: BisectStep): string =>
  bisect.state === "found" && step.sha === bisect.high_sha ? "culprit" : "";

function Found({ project, step }: { project: string; step: BisectStep }) {
  const word = step.finding?.replaceAll("_", " ") ?? "being measured";
  if (step.run_id !== null)
    return (
      <Link to="/p/$project/runs/$runId" params={{ project, runId: step.run_id }}>
        {word}
      </Link>
    );
  if (step.job_id !== null)
    return (
      <Link to="/jobs/$jobId" params={{ jobId: String(step.job_id) }}>
        {word}
      </Link>
    );
  return <>{word}</>;
}
