// SPDX-License-Identifier: Apache-2.0
/** One finding in a list: its state, what it says, how large it is, where the time goes, who has it. */
import { Link } from "@tanstack/react-router";
import type { Alert } from "../../api/types";
import {
  boundText,
  headline,
  isOfChain,
  mostRemains,
  recoveryText,
  rowHeadline,
  whyWords,
} from "../../logic/alerts";
import { ago, moment, shortSha } from "../../logic/text/format";
import { Icon } from "../Icon";
import type { RowPlace } from "../lists/VirtualList";
import { ChangeText, sizeOfAlert } from "../run/ChangeText";
import { ChangeWhisker } from "../run/ChangeWhisker";
import { AlertBadge } from "./AlertBadge";

export interface Selection {
  chosen: ReadonlySet<number>;
  /** With Shift: everything from the last one on, too. */
  toggle: (alert: Alert, withRange: boolean) => void;
}

interface Props {
  alert: Alert;
  now: number;
  /** |ln ratio| at the edge of the drawn intervals, common to the list. */
  reach: number;
  /** A scenario's name within the list. */
  nameOf: (scenario: string) => string;
  /** Its project is told, too. */
  named?: boolean;
  onFocus?: () => void;
  place: RowPlace;
  selection?: Selection | undefined;
}

export function AlertRow(props: Props) {
  const { alert, now, reach, nameOf, named = false, onFocus, place, selection } = props;
  const chosen = selection?.chosen.has(alert.id) ?? false;
  return (
    <li {...place} className={`commit alert-row${chosen ? " marked" : ""}`}>
      {selection && (
        <input
          type="checkbox"
          className="commit-choice above"
          aria-label={`Choose alert ${alert.id}`}
          checked={chosen}
          onClick={(event) => selection.toggle(alert, event.shiftKey)}
          onChange={() => {}}
        />
      )}
      <div className="commit-verdict above">
        <AlertBadge alert={alert} />
      </div>
      <div className="commit-main">
        <Link
          to="/p/$project/alerts/$id"
          params={{ project: alert.project, id: String(alert.id) }}
          className="commit-link"
          data-alert={alert.id}
          title={headline(alert)}
          onFocus={onFocus}
        >
          {rowHeadline(alert, nameOf)}
        </Link>
        <div className="commit-meta">
          {named && `${alert.project} · `}
          <span className="mono">{shortSha(alert.sha)}</span>
          {alert.subject && ` ${alert.subject}`}
          {alert.author && ` · ${alert.author}`}
          <span title={moment(alert.created_at)}> · {ago(alert.created_at, now)}</span>
        </div>
      </div>
      <div className="commit-change">
        <Size alert={alert} reach={reach} />
      </div>
      <div className="commit-what">
        <What alert={alert} />
      </div>
      <span className="commit-go">
        <Icon name="right" />
      </span>
    </li>
  );
}

function Size({ alert, reach }: { alert: Alert; reach: number }) {
  if (alert.kind === "broken" || alert.ratio === null)
    return <span className="soft">{alert.kind === "broken" ? "nothing to measure" : "size not known"}</span>;
  const { ratio, low, high } = alert;
  const of = { ratio_cpp: ratio, low, high };
  return (
    <>
      <ChangeText of={of} quantity={sizeOfAlert(alert.id)} />
      <ChangeWhisker of={of} display="regressed" reach={reach} />
    </>
  );
}

function What({ alert }: { alert: Alert }) {
  const remains = mostRemains(alert.recovery);
  const text = [isOfChain(alert) && "the chain as a whole", whyWords(alert)].filter(Boolean).join("; ");
  return (
    <>
      {text && <span className="summary">{text}</span>}
      {remains && <span className="tag">{recoveryText(remains)}</span>}
      {alert.bound !== null && <span className="tag">{boundText(alert)}</span>}
      {alert.muted && <span className="tag">muted: not reported</span>}
      {alert.assignee && <span className="tag">{alert.assignee}</span>}
    </>
  );
}
