// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { compareQuery } from "../../shared/api/compare";
import { runQuery } from "../../shared/api/queries";
import { RoundsPlot } from "../../shared/charts/RoundsPlot";
import { bytes, moment } from "../../shared/logic/text/format";
import { Icon } from "../../shared/ui/Icon";
import { Loading } from "../../shared/ui/States";

interface Props {
  project: string;
  runId: string;
}

/** The rounds of the newest run that shows it, and ways to all that was recorded of it. */
export function AlertRounds({ project, runId }: Props) {
  const { data: run, error } = useQuery(runQuery(runId));
  if (run === undefined)
    return error ? <p role="alert">The run could not be read: {error.message}</p> : <Loading rows={3} />;
  return (
    <>
      <p className="alert-links">
        <Link className="tag" to="/p/$project/runs/$runId" params={{ project, runId }}>
          <Icon name="link" size={12} /> run <span className="mono">{runId.slice(0, 8)}</span>
        </Link>
        {!run.report_expired && (
          <a className="tag" href={`/api/v1/runs/${runId}/report`}>
            <Icon name="link" size={12} /> raw report, {bytes(run.report_bytes)}
          </a>
        )}
        <span className="soft small">
          {moment(run.started_at)} on {run.host}
        </span>
      </p>
      {run.report_expired && <p className="soft">Its rounds have aged out with the raw report.</p>}
      {run.failure === null && !run.report_expired && run.base_sha && run.head_sha && (
        <Rounds project={project} base={run.base_sha} head={run.head_sha} scenario={run.scenario} />
      )}
      {run.failure && <pre className="command">{run.failure}</pre>}
    </>
  );
}

interface RoundsProps {
  project: string;
  base: string;
  head: string;
  scenario: string;
}

function Rounds({ project, base, head, scenario }: RoundsProps) {
  const { data, error } = useQuery(compareQuery(project, { base, head, scenario }));
  if (data === undefined)
    return error ? (
      <p className="soft">The rounds could not be read: {error.message}</p>
    ) : (
      <Loading rows={3} />
    );
  const { rounds } = data;
  const none = rounds.base.length + rounds.head.length + rounds.head_as_base.length === 0;
  return none ? <p className="soft">No round was kept.</p> : <RoundsPlot rounds={rounds} />;
}
