// SPDX-License-Identifier: Apache-2.0
/** The last step of an alert: into which state, by whom, when and why. */
import { Link } from "@tanstack/react-router";
import type { AlertChange } from "../../shared/api/types";
import { headline } from "../../shared/logic/alerts";
import { ago, moment, shortSha, wordsOf } from "../../shared/logic/text/format";
import { AlertBadge } from "../../shared/ui/alerts/AlertBadge";
import { Icon } from "../../shared/ui/Icon";

export function ChangeRow({ change, now }: { change: AlertChange; now: number }) {
  const { alert } = change;
  return (
    <li className="commit change-row">
      <div className="commit-verdict above">
        <AlertBadge alert={{ state: change.state, confirmed_at: alert.confirmed_at }} />
      </div>
      <div className="commit-main">
        <Link
          to="/p/$project/alerts/$id"
          params={{ project: alert.project, id: String(alert.id) }}
          className="commit-link"
        >
          {headline(alert)}
        </Link>
        <div className="commit-meta">
          {alert.project} · <span className="mono">{shortSha(alert.sha)}</span>
          {alert.subject && ` ${alert.subject}`}
        </div>
      </div>
      <div className="commit-what">
        <span className="summary">{wordsOf(change.who, change.why)}</span>
        <span className="soft" title={moment(change.at)}>
          {change.who ? `${change.who}, ` : ""}
          {ago(change.at, now)}
        </span>
      </div>
      <span className="commit-go">
        <Icon name="right" />
      </span>
    </li>
  );
}
