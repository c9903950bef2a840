// SPDX-License-Identifier: Apache-2.0
/** What changed since the reader last looked: verdicts by their outcome, alerts by their last step. */
import { Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Judged, Overview } from "../../shared/api/types";
import { byProject, counted, type JudgedProject } from "../../shared/logic/overview";
import { displayInfo } from "../../shared/logic/run/verdict";
import { moment } from "../../shared/logic/text/format";
import { useNow } from "../../shared/ui/hooks/useNow";
import { VerdictIcon } from "../../shared/ui/run/VerdictBadge";
import { ChangeRow } from "./ChangeRow";
import { QueryPanel } from "./QueryPanel";
import type { Seen } from "./useLastVisit";

export function ChangesPanel({ query, seen }: { query: UseQueryResult<Overview>; seen: Seen }) {
  return (
    <QueryPanel
      title="Since your last visit"
      aside={<SeenButtons at={query.data?.at} seen={seen} />}
      query={query}
    >
      {(overview) => <Changes overview={overview} seen={seen} />}
    </QueryPanel>
  );
}

function SeenButtons({ at, seen }: { at: string | undefined; seen: Seen }) {
  return (
    <span className="panel-aside">
      {seen.before !== undefined && (
        <Button size="compact-sm" variant="subtle" onClick={seen.takeBack}>
          Take back
        </Button>
      )}
      <Button size="compact-sm" variant="default" disabled={!at} onClick={() => at && seen.mark(at)}>
        Mark as seen
      </Button>
    </span>
  );
}

function Changes({ overview, seen }: { overview: Overview; seen: Seen }) {
  const now = useNow();
  const { changes, changed, judged, since } = overview;
  return (
    <>
      <p className="soft query-says">
        {seen.at === null
          ? "Nothing has been marked as seen in this browser. The list covers the last 7 days."
          : `Since ${moment(since)}, as marked in this browser.`}
      </p>
      {judged.length + changed === 0 && <p className="query-says">Nothing changed since then.</p>}
      {judged.length > 0 && (
        <ul className="judged" aria-label="Verdicts">
          {byProject(judged).map((one) => (
            <JudgedLine key={one.project} of={one} />
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <ol className="commits" aria-label="Alerts that changed">
          {changes.map((one) => (
            <ChangeRow key={one.alert.id} change={one} now={now} />
          ))}
        </ol>
      )}
      {changed > changes.length && (
        <p className="soft query-says">
          The newest {changes.length} of {counted(changed, "alert")}.
        </p>
      )}
    </>
  );
}

function JudgedLine({ of }: { of: JudgedProject<Judged> }) {
  const runs = of.displays.reduce((sum, one) => sum + one.runs, 0);
  return (
    <li>
      <Link to="/p/$project" params={{ project: of.project }}>
        {of.project}
      </Link>
      <span className="soft">{counted(runs, "run")} judged</span>
      {of.displays.map((one) => (
        <span key={one.display} className={`verdict host-state verdict-${one.display}`}>
          <VerdictIcon display={one.display} /> {one.runs} {displayInfo(one.display).word.toLowerCase()}
        </span>
      ))}
    </li>
  );
}
