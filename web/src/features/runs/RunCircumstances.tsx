// SPDX-License-Identifier: Apache-2.0
import type { RunDetail } from "../../shared/api/types";
import { modelWord } from "../../shared/logic/run/models";
import { duration, figure, plain } from "../../shared/logic/text/format";
import { SOURCES } from "../../shared/logic/text/sources";
import { Panel } from "../../shared/ui/Panel";
import { CheckList } from "../../shared/ui/run/CheckList";
import { Facts, HostFacts } from "../../shared/ui/run/HostFacts";

/** How it was measured, where and by what, in two columns of about one length, with checks or without. */
export function RunCircumstances({ run }: { run: RunDetail }) {
  const checked = run.checks.length > 0;
  const sources = Object.entries(Object.keys(run.tools).length > 0 ? run.tools : run.sources);
  const counted = (
    <Panel title="Counter sources">
      <Facts pairs={sources.map(([source, reason]) => [source, sourceText(source, reason)])} />
    </Panel>
  );
  return (
    <div className="panel-grid">
      <div className="panel-stack">
        <Panel title="Run">
          <RunFacts run={run} />
        </Panel>
        {checked && counted}
      </div>
      <div className="panel-stack">
        {checked && (
          <Panel title="Checks">
            <CheckList checks={run.checks} />
          </Panel>
        )}
        <Panel title="Host">
          <HostFacts host={run.fingerprint} />
        </Panel>
        {!checked && counted}
      </div>
    </div>
  );
}

function sourceText(source: string, reason: string | null): string {
  const what = SOURCES[source];
  if (reason !== null) return `not available: ${reason}`;
  return what ? `used: ${what}` : "used";
}

function loadText({ load, offered }: RunDetail): string {
  if (!offered) return load === "closed" ? "closed loop" : load;
  const found = offered.found ? `: ${offered.found}` : "";
  return `${load}, ${figure(offered.pps, "packets/s")}${found}`;
}

const ofTrials = (run: RunDetail): [string, string][] => [
  ["Trials", `${run.trials}, of these ${run.trials_invalid} invalid, ${run.launches} launches`],
  ["Error rate", `${plain(run.settings.alpha)}, all figures together`],
];

function ofRounds({ settings, ...run }: RunDetail): [string, string][] {
  const budget = settings.budget_seconds ? `, ${plain(settings.budget_seconds)} s` : "";
  const most = settings.most_turns ? `, later up to ${settings.most_turns} by their noise` : "";
  return [
    ["Rounds", `${run.rounds_kept} kept, ${run.rounds_set_aside} set aside, ${run.launches} launches`],
    [
      "Planned",
      `rounds of ${plain(settings.turn_ms)} ms, ${settings.turns_per_launch} per launch${most}, at most ${settings.max_launches} launches${budget}`,
    ],
    ["Margin", `${plain(settings.margin * 100)} %`],
    ["Error rate", `${plain(settings.alpha)} over ${settings.looks} looks`],
  ];
}

function RunFacts({ run }: { run: RunDetail }) {
  const seconds = (Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000;
  return (
    <Facts
      pairs={[
        ["Status", run.status],
        ["Took", duration(seconds)],
        ...(run.trials > 0 ? ofTrials(run) : ofRounds(run)),
        ["Model", `${modelWord(run.model)}, ${run.lcores} ${run.lcores === 1 ? "lcore" : "lcores"}`],
        ["Traffic", run.traffic],
        ["Load", loadText(run)],
        ["nalm", run.nalm_version],
        [
          "Run",
          <span key="run" className="mono">
            {run.run_id}
          </span>,
        ],
        [
          "Report digest",
          <span key="digest" className="mono">
            {run.report_digest}
          </span>,
        ],
      ]}
    />
  );
}
