// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { jobQuery } from "../../shared/api/jobs";
import type { JobChange } from "../../shared/api/live";
import type { Confirmation } from "../../shared/api/types";
import { hostChoiceWord } from "../../shared/logic/alerts";
import { figureText } from "../../shared/logic/queue";
import { moment, said } from "../../shared/logic/text/format";
import { useMetricTitles } from "../../shared/ui/hooks/useMetrics";
import { JobProgress } from "../../shared/ui/jobs/JobProgress";
import { ChangeText } from "../../shared/ui/run/ChangeText";
import { VerdictWord } from "../../shared/ui/run/VerdictBadge";

interface Props {
  project: string;
  measurements: readonly Confirmation[];
  /** What was told of jobs under way, by their number. */
  reported: ReadonlyMap<number, JobChange>;
}

/** Each measurement that was asked for again: where, and what came of it. */
export function ConfirmationTable({ project, measurements, reported }: Props) {
  const titles = useMetricTitles(project);
  if (measurements.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scroll-x" tabIndex={0} aria-label="Measurements">
      <table className="table">
        <thead>
          <tr>
            <th className="left">Scenario</th>
            <th className="left">Host</th>
            <th className="left">How</th>
            <th className="left">Outcome</th>
            <th className="left">Change</th>
            <th className="left">When</th>
          </tr>
        </thead>
        <tbody>
          {measurements.map((one) => (
            <tr key={`${one.scenario} ${one.remeasurement} ${one.requested_at} ${one.job_id}`}>
              <th scope="row">{figureText(one, titles)}</th>
              <td className="left">{one.host ?? one.first_host ?? "any"}</td>
              <td className="left">
                <How project={project} one={one} />
              </td>
              <td className="left wrap">
                <Outcome one={one} job={one.job_id === null ? undefined : reported.get(one.job_id)} />
              </td>
              <td className="left">
                {one.ratio !== null && (
                  <ChangeText of={{ ratio_cpp: one.ratio, low: one.low, high: one.high }} />
                )}
              </td>
              <td className="left">{moment(one.answered_at ?? one.requested_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function How({ project, one }: { project: string; one: Confirmation }) {
  const word = hostChoiceWord(one.remeasurement);
  if (one.bisect_id !== null)
    return (
      <Link to="/p/$project/bisections/$id" params={{ project, id: String(one.bisect_id) }}>
        {word}
      </Link>
    );
  if (one.run_id !== null)
    return (
      <Link to="/p/$project/runs/$runId" params={{ project, runId: one.run_id }}>
        {word}
      </Link>
    );
  if (one.job_id !== null)
    return (
      <Link to="/jobs/$jobId" params={{ jobId: String(one.job_id) }}>
        {word}
      </Link>
    );
  return <>{word}</>;
}

function Outcome({ one, job }: { one: Confirmation; job: JobChange | undefined }) {
  if (one.outcome !== null)
    return (
      <>
        {one.outcome === "lost" ? "ended without a verdict" : <VerdictWord display={one.outcome} />}
        {one.why && <span className="under">{said(one.why)}</span>}
      </>
    );
  if (one.job_id !== null) return <UnderWay id={one.job_id} reported={job} />;
  return <span className="soft">{one.bisect_id === null ? "still to be asked for" : "under way"}</span>;
}

/** As it was when the page was opened, until something newer is told of it. */
function UnderWay({ id, reported }: { id: number; reported: JobChange | undefined }) {
  const { data } = useQuery(jobQuery(id, true));
  const job = reported ?? data;
  return job === undefined ? <span className="soft">under way</span> : <JobProgress job={job} />;
}
