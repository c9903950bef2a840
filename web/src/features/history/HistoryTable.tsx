// SPDX-License-Identifier: Apache-2.0
/** The figures of a chart as text, newest commit first, a page at a time. */
import { Pagination } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Alert } from "../../shared/api/types";
import { type EventsLike, eventsAt } from "../../shared/logic/charts/historyEvents";
import { shortSha } from "../../shared/logic/text/format";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { ChangeText, changeAt } from "../../shared/ui/run/ChangeText";
import { VerdictBadge } from "../../shared/ui/run/VerdictBadge";
import { PERCENT, runAt, valueText } from "./chartLines";
import type { DrawnProps } from "./panelProps";
import type { HistoryLine } from "./unpack";

const PAGE = 50;
export function HistoryTable(props: DrawnProps) {
  const { lines: shown, series, page, onPage } = props;
  const count = shown.commits.sha.length;
  const pages = Math.ceil(count / PAGE);
  const current = Math.min(page, pages);
  const newest = count - 1 - (current - 1) * PAGE;
  const places = Array.from({ length: Math.min(PAGE, newest + 1) }, (_, row) => newest - row);
  return (
    <>
      <ScrollTable label={`${shown.metric.title} per commit`}>
        <thead>
          <tr>
            <th className="left">Commit</th>
            <th className="left">Verdict</th>
            {series.map((one) => (
              <th key={one.stage}>{one.stage}</th>
            ))}
            <th className="left">Notes</th>
          </tr>
        </thead>
        <tbody>
          {places.map((place) => (
            <Row key={place} {...props} place={place} />
          ))}
        </tbody>
      </ScrollTable>
      {pages > 1 && (
        <nav className="list-foot" aria-label={`Pages of ${shown.metric.title}`}>
          <Pagination
            size="sm"
            total={pages}
            value={current}
            onChange={onPage}
            getItemProps={(number) => ({ "aria-label": `Page ${number}` })}
            getControlProps={(control) => ({ "aria-label": `${control} page` })}
          />
        </nav>
      )}
    </>
  );
}

function Row({ project, lines: shown, series, unit, alerts, place }: DrawnProps & { place: number }) {
  const { commits, lines, releases } = shown;
  const sha = commits.sha[place] ?? "";
  const run = runAt(lines, place);
  const base = run?.line.base_sha[run.index];
  const search = { head: sha, ...(base ? { base } : {}), ...(run ? { scenario: run.line.scenario } : {}) };
  const tags = releases.filter((one) => one.at === place).map((one) => one.name);
  return (
    <tr>
      <th scope="row">
        <Link to="/p/$project/compare" params={{ project }} search={search}>
          <span className="mono">{shortSha(sha)}</span>
        </Link>{" "}
        {tags.length > 0 && <span className="tag">{tags.join(", ")}</span>} {commits.subject[place]}
      </th>
      <td className="left">
        {run && <VerdictBadge display={run.line.display[run.index] ?? ""} />}
        {run && <AgainstBase sha={sha} of={run.line} index={run.index} />}
      </td>
      {series.map((one) => (
        <Figure
          key={one.stage}
          value={one.value[place]}
          low={one.low[place]}
          high={one.high[place]}
          unit={unit}
        />
      ))}
      <td className="left wrap">
        {lines.map((line) => (
          <Besides
            key={`${line.scenario} ${line.branch}`}
            project={project}
            sha={sha}
            of={line}
            alerts={line === lines[0] ? alerts : NO_ALERTS}
          />
        ))}
      </td>
    </tr>
  );
}

/** Side by side with its base: the line's own values are of other runs. */
function AgainstBase({ sha, of, index }: { sha: string; of: HistoryLine; index: number }) {
  const [size, low = null, high = null] = [of.ratio_cpp[index], of.low[index], of.high[index]];
  if (size == null) return null;
  return (
    <span className="under">
      <ChangeText of={{ ratio_cpp: size, low, high }} quantity={changeAt(sha, of.scenario)} />
    </span>
  );
}

const NO_ALERTS: readonly Alert[] = [];
type Known = number | null | undefined;

/** Without its unit, which stands above, but for per cent. */
function Figure({ value, low, high, unit }: { value: Known; low: Known; high: Known; unit: string }) {
  const text = (of: Known): string => valueText(of, unit === PERCENT ? unit : "");
  const wide = value != null && low != null && high != null && low < high;
  return (
    <td>
      {text(value)}
      {wide && (
        <span className="under">
          {text(low)} to {text(high)}
        </span>
      )}
    </td>
  );
}

interface BesidesProps {
  project: string;
  sha: string;
  of: EventsLike;
  alerts: readonly Alert[];
}

/** Findings, changes of level and new segments at a commit; a finding is a link. */
function Besides({ project, sha, of, alerts }: BesidesProps) {
  return eventsAt(sha, of, alerts).map((one) => (
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
