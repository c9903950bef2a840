// SPDX-License-Identifier: Apache-2.0
/** The verdicts of the same two commits in the other scenarios: no merge is judged by one scenario alone. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { commitQuery } from "../../shared/api/queries";
import type { VerdictBrief } from "../../shared/api/types";
import { verdictsAgainst } from "../../shared/logic/run/sides";
import { byUrgency } from "../../shared/logic/run/verdict";
import { said } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { Panel } from "../../shared/ui/Panel";
import { OutcomePills } from "../../shared/ui/run/OutcomePills";
import { VerdictBadge } from "../../shared/ui/run/VerdictBadge";
import { VerdictChange } from "../../shared/ui/run/VerdictChange";
import { FailedPart } from "../../shared/ui/States";

interface Props {
  project: string;
  base: string;
  head: string;
  /** The scenario of the page. */
  scenario: string;
}

export function ScenariosPanel({ project, base, head, scenario }: Props) {
  const { data: commit, error, refetch } = useQuery(commitQuery(project, head));
  if (commit === undefined)
    return error ? (
      <Panel title="Other scenarios">
        <FailedPart error={error} onRetry={refetch} />
      </Panel>
    ) : null;
  const others = verdictsAgainst(commit, base).filter((one) => one.scenario !== scenario);
  if (others.length === 0) return null;
  const size = (one: VerdictBrief): number => Math.abs(Math.log(one.ratio_cpp ?? 1));
  const sorted = byUrgency([...others].sort((a, b) => size(b) - size(a)));
  const differ = sorted.filter((one) => one.display !== "same");
  const same = sorted.filter((one) => one.display === "same");
  return (
    <Panel
      title="Other scenarios"
      aside={
        <span className="panel-aside">
          <OutcomePills outcomes={counts(others)} />
        </span>
      }
    >
      {differ.length > 0 && (
        <Table label="Verdicts of other scenarios" {...{ project, base, head }} verdicts={differ} />
      )}
      {same.length > 0 && (
        <details>
          <summary>
            {same.length} {same.length === 1 ? "scenario" : "scenarios"} with the verdict Same
          </summary>
          <Table label="Scenarios with the verdict Same" {...{ project, base, head }} verdicts={same} />
        </details>
      )}
    </Panel>
  );
}

function counts(verdicts: readonly VerdictBrief[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { display } of verdicts) found[display] = (found[display] ?? 0) + 1;
  return found;
}

type TableProps = Omit<Props, "scenario"> & { label: string; verdicts: readonly VerdictBrief[] };

function Table({ label, project, base, head, verdicts }: TableProps) {
  return (
    <ScrollTable label={label}>
      <thead>
        <tr>
          <th className="left">Scenario</th>
          <th className="left">Verdict</th>
          <th>CPP change [interval]</th>
          <th className="left">What changed</th>
        </tr>
      </thead>
      <tbody>
        {verdicts.map((one) => (
          <tr key={one.run_id}>
            <th scope="row">
              <Link
                className="wrap-text"
                to="/p/$project/compare"
                params={{ project }}
                search={{ base, head, scenario: one.scenario }}
              >
                {one.scenario}
              </Link>
            </th>
            <td className="left">
              <VerdictBadge display={one.display} />
            </td>
            <td>
              <VerdictChange sha={head} verdict={one} />
            </td>
            <td className="left wrap">{said(one.summary)}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
