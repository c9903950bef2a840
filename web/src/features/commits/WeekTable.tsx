// SPDX-License-Identifier: Apache-2.0
/** Weeks, newest first; one of them opened to its commits and scenarios. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { OverallChange, ScenarioChange, Week, WeekDetail } from "../../shared/api/types";
import { dateWord, MISSING } from "../../shared/logic/text/format";
import { CommitLink } from "../../shared/ui/links/CommitLink";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { ChangeText } from "../../shared/ui/run/ChangeText";
import { ChangeWhisker } from "../../shared/ui/run/ChangeWhisker";
import { VerdictIcon, VerdictWord } from "../../shared/ui/run/VerdictBadge";
import { FailedPart } from "../../shared/ui/States";
import { counted, direction, reachOf } from "./weeks";
import { weekQuery } from "./weeksApi";

interface Props {
  project: string;
  weeks: readonly Week[];
  open: string | undefined;
  onOpen: (week: string | undefined) => void;
}

export function WeekTable({ project, weeks, open, onOpen }: Props) {
  const detail = useQuery({ ...weekQuery(project, open ?? ""), enabled: open !== undefined });
  const { changes = [], scenarios = [] } = detail.data ?? {};
  const overall = [...weeks, ...changes].map((one) => one.overall);
  const reach = reachOf([...overall, ...scenarios]);
  return (
    <ScrollTable label="Weeks">
      <thead>
        <tr>
          <th className="left">Week</th>
          <th className="left">Cycles per packet</th>
          <th className="left">Scenarios</th>
          <th>Commits measured</th>
        </tr>
      </thead>
      {weeks.map((week) => (
        <tbody key={week.week}>
          <tr className={week.week === open ? "marked" : undefined}>
            <th scope="row">
              <button
                type="button"
                className="link-button"
                aria-expanded={week.week === open}
                onClick={() => onOpen(week.week === open ? undefined : week.week)}
              >
                {week.week}
              </button>
              <span className="under">from {dateWord(week.start)}</span>
            </th>
            <ChangeCell of={week.overall} reach={reach} />
            <CountsCell of={week.overall} />
            <td>
              {week.measured} of {week.commits}
            </td>
          </tr>
          {week.week === open &&
            (detail.data ? (
              <Opened project={project} week={detail.data} reach={reach} />
            ) : (
              <Wide>
                {detail.error ? (
                  <FailedPart error={detail.error} onRetry={detail.refetch} />
                ) : (
                  <span role="status">Loading {week.week}</span>
                )}
              </Wide>
            ))}
        </tbody>
      ))}
    </ScrollTable>
  );
}

function Opened({ project, week, reach }: { project: string; week: WeekDetail; reach: number }) {
  return (
    <>
      <Wide>Commits, newest first</Wide>
      {week.changes.map((commit) => (
        <tr key={commit.sha}>
          <th scope="row" className="left">
            <CommitLink project={project} commit={commit} short />
            <span className="under wrap-text">{commit.subject}</span>
          </th>
          <ChangeCell of={commit.overall} reach={reach} />
          <CountsCell of={commit.overall} />
          <td />
        </tr>
      ))}
      <Wide>Scenarios, over all commits of the week</Wide>
      {week.scenarios.map((one) => (
        <ScenarioRow key={one.scenario} of={one} reach={reach} />
      ))}
    </>
  );
}

function ScenarioRow({ of, reach }: { of: ScenarioChange; reach: number }) {
  const change = { ratio_cpp: of.ratio, low: of.low, high: of.high };
  return (
    <tr>
      <th scope="row" className="left">
        <span className="tag">{of.scenario}</span>
      </th>
      <td className="left">
        <ChangeText of={change} />
        <span className="under">
          over {of.pairs} {of.pairs === 1 ? "commit" : "commits"}
        </span>
        <ChangeWhisker of={change} display={of.outcome} reach={reach} />
      </td>
      <td className="left">
        <VerdictWord display={of.outcome} />
      </td>
      <td />
    </tr>
  );
}

const Wide = ({ children }: { children: ReactNode }) => (
  <tr>
    <td colSpan={4} className="left soft">
      {children}
    </td>
  </tr>
);

function ChangeCell({ of, reach }: { of: OverallChange | null; reach: number }) {
  if (of === null || of.ratio === null) return <td className="left">{MISSING}</td>;
  const change = { ratio_cpp: of.ratio, low: of.low, high: of.high };
  return (
    <td className="left">
      <ChangeText of={change} />
      <span className="under">
        over {of.averaged} {of.averaged === 1 ? "scenario" : "scenarios"}
      </span>
      <ChangeWhisker of={change} display={direction(of)} reach={reach} />
    </td>
  );
}

function CountsCell({ of }: { of: OverallChange | null }) {
  if (of === null) return <td className="left soft">not measured</td>;
  return (
    <td className="left">
      {counted(of).map(({ display, word, count }) => (
        <span key={word} className={`verdict verdict-${display} counted`}>
          <VerdictIcon display={display} />
          {count} {word}
        </span>
      ))}
    </td>
  );
}
