// SPDX-License-Identifier: Apache-2.0
/** One finding: what it is, who pays, why, what it rests on, what was said of it, and what can be done. */
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { alertQuery, explanationOf } from "../../shared/api/alerts";
import type { AlertDetail, Metric } from "../../shared/api/types";
import { evidenceOf, headline } from "../../shared/logic/alerts";
import { fileName } from "../../shared/logic/text/csv";
import { confirmationsFile } from "../../shared/logic/text/figureFiles";
import { shortSha } from "../../shared/logic/text/format";
import { movesFile } from "../../shared/logic/text/tableFiles";
import { type Done, UndoLine } from "../../shared/ui/alerts/UndoLine";
import { useMetrics } from "../../shared/ui/hooks/useMetrics";
import { useMay } from "../../shared/ui/hooks/useSession";
import { useTitle } from "../../shared/ui/hooks/useTitle";
import { PageHead } from "../../shared/ui/PageHead";
import { Panel } from "../../shared/ui/Panel";
import { Failed, Loading } from "../../shared/ui/States";
import { ExportButtons } from "../../shared/ui/save/ExportButtons";
import { AdviceList } from "./AdviceList";
import { AlertAssignee } from "./AlertAssignee";
import { AlertBanner } from "./AlertBanner";
import { AlertCause } from "./AlertCause";
import { AlertConfirmation } from "./AlertConfirmation";
import { AlertCulprit } from "./AlertCulprit";
import { AlertHistory } from "./AlertHistory";
import { AlertMoves } from "./AlertMoves";
import { AlertRounds } from "./AlertRounds";
import { AlertTrail } from "./AlertTrail";
import { AlertTriage } from "./AlertTriage";
import { lastSearch } from "./lastSearch";
import type { AlertSearch } from "./search";

const route = getRouteApi("/p/$project/alerts/$id");

export function AlertPage() {
  const { project, id } = route.useParams();
  const { data: alert, error, refetch } = useQuery(alertQuery(Number(id)));
  useTitle(`Alert ${id}`, project);
  if (alert !== undefined && alert.project !== project)
    return <Navigate to="/p/$project/alerts/$id" params={{ project: alert.project, id }} replace />;
  if (alert !== undefined) return <Shown alert={alert} />;
  return (
    <>
      <PageHead title={`Alert ${id}`} up={<UpToAlerts project={project} />} />
      {error ? <Failed error={error} onRetry={refetch} /> : <Loading rows={9} />}
    </>
  );
}

function Shown({ alert }: { alert: AlertDetail }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$project/alerts/$id" });
  const set = (change: AlertSearch): void => {
    navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  };
  const [done, setDone] = useState<Done | null>(null);
  const triages = useMay(alert.project, "developer");
  const explanation = explanationOf(alert);
  const advice = explanation?.advice ?? [];
  return (
    <>
      <PageHead
        title={headline(alert)}
        under={`Alert ${alert.id} · ${alert.subject ?? shortSha(alert.sha)}`}
        up={<UpToAlerts project={alert.project} />}
      >
        {triages && (
          <AlertTriage
            alert={alert}
            open={search.do}
            onOpen={(dialog) => set({ do: dialog })}
            onDone={(text) => setDone({ alerts: [alert.id], text })}
          />
        )}
      </PageHead>
      {done?.alerts[0] === alert.id && (
        <UndoLine key={done.text} project={alert.project} done={done} onUndone={() => setDone(null)} />
      )}
      <AlertBanner alert={alert} />
      <div className="panel-grid alert-grid">
        <Panel title="Since this commit">
          <AlertCulprit alert={alert} />
        </Panel>
        <Panel title="Assignee">
          <AlertAssignee alert={alert} />
        </Panel>
      </div>
      {explanation && (
        <Panel title="Why" aside={<span className="soft">where time goes, not what was edited</span>}>
          <AlertCause reported={explanation} />
        </Panel>
      )}
      {advice.length > 0 && (
        <Panel title="What can help">
          <AdviceList project={alert.project} advice={advice} />
        </Panel>
      )}
      <Panel
        title="What changed"
        aside={
          <ExportButtons
            name={fileName("alert", String(alert.id), "moves")}
            what="what moved"
            rows={() => movesFile(alert.moves)}
          />
        }
      >
        <AlertMoves alert={alert} />
      </Panel>
      <Panel
        title="Measured again"
        aside={
          alert.confirming && (
            <ExportButtons
              name={fileName("alert", String(alert.id), "measured-again")}
              what="what was measured again"
              rows={() => confirmationsFile(alert.confirming?.measurements ?? [])}
            />
          )
        }
      >
        <AlertConfirmation alert={alert} />
      </Panel>
      <Evidence alert={alert} scenario={search.scenario} onScenario={(scenario) => set({ scenario })} />
      <Panel title="Activity">
        <AlertTrail alert={alert} />
      </Panel>
    </>
  );
}

const titleWithUnit = ({ title, unit }: Metric): string => (unit === "1" ? title : `${title}, ${unit}`);

interface EvidenceProps {
  alert: AlertDetail;
  scenario: string | undefined;
  onScenario: (scenario: string | undefined) => void;
}

function Evidence({ alert, scenario, onScenario }: EvidenceProps) {
  const metrics = useMetrics(alert.project);
  const shown = alert.scenarios.find((one) => one === scenario) ?? alert.scenario ?? alert.scenarios[0];
  if (shown === undefined) return null;
  const { runId, hostClass, metric } = evidenceOf(alert.moves, shown);
  const drawn = metrics.find((one) => one.name === metric);
  const choose = alert.scenarios.length > 1 && (
    <Select
      aria-label="Scenario of the evidence"
      size="xs"
      allowDeselect={false}
      data={alert.scenarios}
      value={shown}
      onChange={(next) => next && onScenario(next === alert.scenario ? undefined : next)}
    />
  );
  return (
    <>
      <Panel
        title={`History of ${shown}`}
        aside={
          <span className="panel-aside">
            <span className="soft">{drawn ? titleWithUnit(drawn) : metric}</span>
            {choose}
          </span>
        }
      >
        <AlertHistory alert={alert} scenario={shown} hostClass={hostClass} metric={metric} />
      </Panel>
      {runId !== null && (
        <Panel
          title="The run that shows it"
          aside={<span className="soft">CPP of the chain, cycles/packet</span>}
        >
          <AlertRounds project={alert.project} runId={runId} />
        </Panel>
      )}
    </>
  );
}

const UpToAlerts = ({ project }: { project: string }) => (
  <Link to="/p/$project/alerts" params={{ project }} search={lastSearch(project)}>
    Alerts
  </Link>
);
