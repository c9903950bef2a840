// SPDX-License-Identifier: Apache-2.0
import type { Quality } from "../../shared/api/types";
import { hasTrials } from "../../shared/logic/run/rates";
import { ratesFile } from "../../shared/logic/text/figureFiles";
import { moment } from "../../shared/logic/text/format";
import { useNow } from "../../shared/ui/hooks/useNow";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { ControlsForm } from "./ControlsForm";
import { Grouped, rowsOf } from "./DetectionPanel";

/** Comparisons in which nothing had changed, and those of them that were called changed. */
export function FalseAlarmPanel({ project, of }: { project: string; of: Quality }) {
  const { false_alarms: alarms } = of;
  const now = useNow();
  return (
    <SavedPanel
      title="False alarms"
      name={`${project}-false-alarms`}
      what="false alarms"
      rows={hasTrials(alarms.all) ? () => alarmsFile(alarms) : undefined}
      aside={<span className="soft">called changed, of comparisons in which nothing had changed</span>}
    >
      {hasTrials(alarms.all) ? (
        <Alarmed of={alarms} />
      ) : (
        <p className="soft">No code has been measured against itself yet.</p>
      )}
      <p className="soft small">{controlsText(of, now)}</p>
      <ControlsForm project={project} perDay={of.controls_per_day} />
    </SavedPanel>
  );
}

const alarmsFile = (of: Quality["false_alarms"]) =>
  ratesFile([
    { group: "all", rates: [{ name: "all", of: of.all }] },
    { group: "compared", rates: rowsOf(of.by_kind) },
    { group: "scenario", rates: rowsOf(of.by_scenario) },
  ]);

type Controls = Pick<Quality, "controls_per_day" | "next_control_at">;

/** One that waits for a host is due, and not yet the last one. */
export function controlsText(
  { controls_per_day: perDay, next_control_at: next }: Controls,
  now: number,
): string {
  if (perDay === 0) return "Code is never measured against itself here.";
  const often = perDay === 1 ? "Once a day" : `${perDay} times a day`;
  const due = next !== null && Date.parse(next) < now ? "one has been due since" : "the next";
  const when = next === null ? "none is planned" : `${due} ${moment(next)}`;
  return `${often} a bench host measures code against itself; ${when}.`;
}

const KINDS: Record<string, string> = {
  aa: "a commit against itself",
  unchanged: "commits whose code is equal",
  moved: "equal functions that lie elsewhere",
  equal: "planted changes without effect",
};

function Alarmed({ of }: { of: Quality["false_alarms"] }) {
  const kinds = of.by_kind.map((group) => ({ ...group, name: KINDS[group.name] ?? group.name }));
  return (
    <>
      <p className="said">{of.all.sentence}</p>
      <Grouped
        of="False alarms"
        title="By kind of comparison"
        first="Compared"
        groups={kinds}
        color="var(--part-pipeline)"
      />
      <Grouped
        of="False alarms"
        title="By scenario"
        first="Scenario"
        groups={of.by_scenario}
        color="var(--part-pipeline)"
      />
      {of.inconclusive > 0 && (
        <p className="soft small">
          {of.inconclusive} of these were inconclusive: no alarm, but no answer either.
        </p>
      )}
    </>
  );
}
