// SPDX-License-Identifier: Apache-2.0
/** A finding as a sentence: how much, since which commit, where the time goes. */
import { Link } from "@tanstack/react-router";
import type { AlertDetail } from "../../shared/api/types";
import {
  boundText,
  headline,
  isOfChain,
  paying,
  reachOf,
  reasonText,
  recoveryBasis,
  recoveryText,
} from "../../shared/logic/alerts";
import { functionKey } from "../../shared/logic/code/codeRows";
import { sentence, shortSha } from "../../shared/logic/text/format";
import { AlertBadge } from "../../shared/ui/alerts/AlertBadge";
import { MetricName } from "../../shared/ui/Help";
import { Icon } from "../../shared/ui/Icon";
import { ChangeText, sizeOfAlert } from "../../shared/ui/run/ChangeText";
import { ChangeWhisker } from "../../shared/ui/run/ChangeWhisker";

const FIXES: ReadonlySet<string> = new Set(["fixed", "partly_fixed"]);

export function AlertBanner({ alert }: { alert: AlertDetail }) {
  const where = paying(alert);
  // The reason of a fix is what the scenarios got back.
  const repeated = FIXES.has(alert.state) && (alert.recovery ?? []).length > 0;
  const found = alert.state === "fixed" ? "improved" : "regressed";
  const tone = alert.kind === "broken" ? "broken-back" : found;
  return (
    <section className="panel banner" aria-label="Finding" style={{ "--tone": `var(--${tone})` } as never}>
      <div className="banner-line">
        <AlertBadge alert={alert} />
        <p className="banner-sentence">
          {where ? sentence(where) : headline(alert)}
          <NamedLine alert={alert} />.
        </p>
      </div>
      <div className="banner-line">
        <Size alert={alert} />
        {alert.bound !== null && <span className="tag">{boundText(alert)}</span>}
        {alert.muted && <span className="tag">muted: not reported</span>}
        <Elsewhere alert={alert} />
      </div>
      <Recovered alert={alert} />
      {alert.reason && !repeated && <p className="alert-reason soft">{reasonText(alert)}</p>}
    </section>
  );
}

/** The line that pays, as a link to it in the source of both sides. */
function NamedLine({ alert }: { alert: AlertDetail }) {
  if (!alert.file) return null;
  const place = `${alert.file}${alert.line ? `:${alert.line}` : ""}`;
  if (!alert.function) return ` (${place})`;
  return (
    <>
      {" ("}
      <Link
        to="/p/$project/compare"
        params={{ project: alert.project }}
        search={{
          ...(alert.after_sha ? { base: alert.after_sha } : {}),
          head: alert.sha,
          ...(alert.scenario ? { scenario: alert.scenario } : {}),
          fn: functionKey({ stage: alert.stage, name: alert.function }),
          ...(alert.line ? { line: String(alert.line) } : {}),
        }}
      >
        {place}
      </Link>
      {")"}
    </>
  );
}

/** What each scenario got back; with most left first. */
function Recovered({ alert }: { alert: AlertDetail }) {
  const most = [...(alert.recovery ?? [])].sort((one, other) => other.remains - one.remains);
  return most.map((one) => (
    <p key={one.scenario} className="alert-reason">
      {alert.scenarios.length > 1 ? `${one.scenario}: ${recoveryText(one)}` : sentence(recoveryText(one))}{" "}
      <span className="soft">({recoveryBasis(one)})</span>
    </p>
  ));
}

function Size({ alert }: { alert: AlertDetail }) {
  const { ratio, low, high } = alert;
  if (alert.kind === "broken" || ratio === null) return null;
  const of = { ratio_cpp: ratio, low, high };
  return (
    <span className="alert-size">
      <span className="soft">
        <MetricName name={alert.metric ?? "cpp"} />
        {isOfChain(alert) && " of the chain"}
      </span>
      <ChangeText of={of} quantity={sizeOfAlert(alert.id)} />
      <ChangeWhisker of={of} display="regressed" reach={reachOf([ratio, high])} />
    </span>
  );
}

function Elsewhere({ alert }: { alert: AlertDetail }) {
  const { project } = alert;
  return (
    <>
      {alert.fixed_by_sha && (
        <Link
          className="tag"
          to="/p/$project/compare"
          params={{ project }}
          search={{ head: alert.fixed_by_sha, ...(alert.scenario ? { scenario: alert.scenario } : {}) }}
        >
          <Icon name="fix" size={12} /> {alert.state === "fixed" ? "fixed" : "recovered in part"} by{" "}
          <span className="mono">{shortSha(alert.fixed_by_sha)}</span>
        </Link>
      )}
      {alert.fixed_by_sha && alert.after_sha && (
        <Link
          className="tag"
          to="/p/$project/compare"
          params={{ project }}
          search={{
            base: alert.after_sha,
            head: alert.fixed_by_sha,
            ...(alert.scenario ? { scenario: alert.scenario } : {}),
          }}
        >
          compare last good <span className="mono">{shortSha(alert.after_sha)}</span> with the fix
        </Link>
      )}
      {alert.merged_into !== null && (
        <Link className="tag" to="/p/$project/alerts/$id" params={{ project, id: String(alert.merged_into) }}>
          <Icon name="right" size={12} /> goes on as alert {alert.merged_into}
        </Link>
      )}
    </>
  );
}
