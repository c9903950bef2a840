// SPDX-License-Identifier: Apache-2.0
/** Everything recorded of one run: what was built and started, on what, how often, and what was counted. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import { useState } from "react";
import { reportQuery, runCountsQuery, runQuery } from "../../shared/api/queries";
import type { RunDetail } from "../../shared/api/types";
import { kindOf } from "../../shared/logic/run/kinds";
import { judgedChain } from "../../shared/logic/run/verdict";
import { fileName } from "../../shared/logic/text/csv";
import { bytes, moment } from "../../shared/logic/text/format";
import { CommitAlerts } from "../../shared/ui/alerts/CommitAlerts";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { Icon } from "../../shared/ui/Icon";
import { LogTail } from "../../shared/ui/jobs/LogTail";
import { NoteList } from "../../shared/ui/NoteList";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { MetricPanel } from "../../shared/ui/run/MetricPanel";
import { NextSteps } from "../../shared/ui/run/NextSteps";
import { OutcomePanel } from "../../shared/ui/run/OutcomePanel";
import { RatesPanels } from "../../shared/ui/run/RatesPanels";
import { StagePanel } from "../../shared/ui/run/StagePanel";
import { VerdictBanner } from "../../shared/ui/run/VerdictBanner";
import { Failed, Loading } from "../../shared/ui/States";
import { AcceptancePanel } from "./AcceptancePanel";
import { ArmFacts } from "./ArmFacts";
import { ChangeSiteTable } from "./ChangeSiteTable";
import { whereRows } from "./changeSites";
import { ExcludedRounds } from "./ExcludedRounds";
import { InstructionTable } from "./InstructionTable";
import { JsonTree } from "./JsonTree";
import { RunCircumstances } from "./RunCircumstances";
import { RunCodePanels } from "./RunCodePanels";
import type { RunSearch } from "./search";

const route = getRouteApi("/p/$project/runs/$runId");

const SIDES: Record<string, string> = {
  base: "Base, as built and started",
  head: "Head, as built and started",
  head_as_base: "Head with base's features",
};

export function RunPage() {
  const { project, runId } = route.useParams();
  const { data: run, error, refetch } = useQuery(runQuery(runId));
  useTitle(`Run ${runId.slice(0, 8)}`, project);
  if (run !== undefined && run.project !== project)
    return <Navigate to="/p/$project/runs/$runId" params={{ project: run.project, runId }} replace />;
  if (run !== undefined) return <Run run={run} />;
  return (
    <>
      <PageHead title={`Run ${runId.slice(0, 8)}`} up={<UpToCommits project={project} />} />
      {error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={9} />}
    </>
  );
}

const hasTrials = (run: RunDetail): boolean =>
  kindOf(run.scenario) !== "cycles" && run.status === "measured" && !run.report_expired;

const hasFinding = ({ outcome, metrics }: RunDetail["verdict"]): boolean =>
  outcome === "regressed" || (metrics ?? []).some((one) => one.gates && one.outcome === "regressed");

function Run({ run }: { run: RunDetail }) {
  const { verdict } = run;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const stages = verdict.stages ?? [];
  const change = (part: RunSearch): void => {
    navigate({ search: (old) => ({ ...old, ...part }), replace: true, resetScroll: false });
  };
  return (
    <>
      <PageHead
        title={
          <>
            Run <span className="mono">{run.run_id.slice(0, 8)}</span> of {run.scenario}
          </>
        }
        under={
          <>
            {moment(run.started_at)} on{" "}
            <Link to="/hosts/$host" params={{ host: run.host }}>
              {run.host}
            </Link>
          </>
        }
        up={<UpToCommits project={run.project} />}
      >
        {run.base_sha && run.head_sha && (
          <Link
            to="/p/$project/compare"
            params={{ project: run.project }}
            search={{ base: run.base_sha, head: run.head_sha, scenario: run.scenario }}
            className="tag"
          >
            <Icon name="swap" size={12} /> compared with its base
          </Link>
        )}
        {run.job_id !== null && (
          <Link to="/jobs/$jobId" params={{ jobId: String(run.job_id) }} className="tag">
            <Icon name="clock" size={12} /> job {run.job_id}
          </Link>
        )}
        {run.head_sha && <CommitAlerts project={run.project} sha={run.head_sha} />}
        {!run.report_expired && (
          <a className="tag" href={`/api/v1/runs/${run.run_id}/report`}>
            <Icon name="link" size={12} /> raw report, {bytes(run.report_bytes)}
          </a>
        )}
      </PageHead>
      <VerdictBanner
        project={run.project}
        verdict={verdict}
        chain={verdict.chain ?? null}
        run={run.run_id}
        without=""
      />
      <NextSteps
        project={run.project}
        display={verdict.display}
        status={run.status}
        checks={run.checks}
        base={run.base_sha}
        head={run.head_sha}
        scenario={run.scenario}
      />
      {run.failure && (
        <Panel title="Result">
          <pre className="command">{run.failure}</pre>
        </Panel>
      )}
      <OutcomePanel verdict={verdict} />
      <MetricPanel verdict={verdict} kind={kindOf(run.scenario)} />
      {hasTrials(run) && <RatesPanels runId={run.run_id} search={search} onChange={change} />}
      {hasFinding(verdict) && <AcceptancePanel project={run.project} runId={run.run_id} />}
      {stages.length > 0 && (
        <StagePanel
          title="Stages"
          name={fileName("stages", run.run_id.slice(0, 8))}
          chain={verdict.chain ?? null}
          chainName={judgedChain(verdict)}
          stages={stages}
          culprits={verdict.culprit_stages ?? []}
          notes={verdict.stage_notes}
          about={verdict.interval_note}
        />
      )}
      {whereRows(verdict).length > 0 && (
        <Panel title="Changed code">
          <ChangeSiteTable verdict={verdict} />
        </Panel>
      )}
      {!run.report_expired && kindOf(run.scenario) === "cycles" && (
        <RunCodePanels run={run} chain={verdict.chain ?? null} search={search} onChange={change} />
      )}
      <RunCircumstances run={run} />
      <div className="panel-grid arms">
        {Object.entries(run.arms).map(([arm, info]) => (
          <Panel key={arm} title={SIDES[arm] ?? arm}>
            <ArmFacts arm={info} />
          </Panel>
        ))}
      </div>
      {!run.report_expired && <Recorded project={run.project} run={run} />}
      {run.job_id !== null && (
        <Panel title="Log" aside={<span className="soft">of the job, its end</span>}>
          <LogTail id={run.job_id} tall />
        </Panel>
      )}
      {run.notes.length > 0 && (
        <Panel title="Notes">
          <NoteList notes={run.notes} />
        </Panel>
      )}
    </>
  );
}

/** What only the report has, and the report itself, which is large and read when it is opened. */
function Recorded({ project, run }: { project: string; run: RunDetail }) {
  const ofCycles = kindOf(run.scenario) === "cycles";
  const { data: counts, error } = useQuery({ ...runCountsQuery(run.run_id), enabled: ofCycles });
  const raw = (
    <Panel title="Raw report" aside={<span className="soft">as the agent sent it</span>}>
      <RawReport run={run} />
    </Panel>
  );
  if (!ofCycles) return raw;
  if (error) return <p role="alert">The counts of the run could not be read: {error.message}</p>;
  if (counts === undefined) return <Loading rows={3} />;
  return (
    <>
      {counts.instructions.length > 0 && (
        <Panel title="Instructions" aside={<span className="soft">counted exactly, per packet</span>}>
          <InstructionTable
            counts={counts.instructions}
            arms={counts.arms}
            project={project}
            scenario={run.scenario}
            hostClass={counts.host_class}
          />
        </Panel>
      )}
      <ExcludedRounds aside={counts.rounds_set_aside} rounds={counts.rounds} />
      {raw}
    </>
  );
}

function RawReport({ run }: { run: RunDetail }) {
  const [opened, setOpened] = useState(false);
  const { data: report, error } = useQuery({ ...reportQuery(run.run_id), enabled: opened });
  if (error) return <p role="alert">The raw report could not be read: {error.message}</p>;
  if (report !== undefined) return <JsonTree name="report" value={report} open />;
  return (
    <Button size="xs" variant="default" loading={opened} onClick={() => setOpened(true)}>
      Open the report, {bytes(run.report_bytes)}
    </Button>
  );
}

const UpToCommits = ({ project }: { project: string }) => (
  <Link to="/p/$project" params={{ project }}>
    Commits
  </Link>
);
