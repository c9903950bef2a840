// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AlertDetail } from "../../shared/api/types";
import { confirmedText } from "../../shared/logic/alerts";
import { change, moment, shortSha } from "../../shared/logic/text/format";
import { ratio } from "../../shared/logic/text/units";
import { ShaLink } from "../../shared/ui/links/ShaLink";
import { Facts } from "../../shared/ui/run/HostFacts";

/** Since which commit, by whom, after which good one, and the assignee. */
export function AlertCulprit({ alert }: { alert: AlertDetail }) {
  const { project, after_sha: after, sha } = alert;
  const scenario = alert.scenario ? { scenario: alert.scenario } : {};
  return (
    <Facts
      pairs={[
        [
          "Commit",
          <Link
            key="commit"
            to="/p/$project/compare"
            params={{ project }}
            search={{ ...(after ? { base: after } : {}), head: sha, ...scenario }}
          >
            <span className="mono">{shortSha(sha)}</span> {alert.subject}
          </Link>,
        ],
        ...(alert.drift_end_sha
          ? [
              [
                "Drift",
                <span key="drift">
                  from {after ? <ShaLink project={project} sha={after} /> : "the first commit"} to{" "}
                  <ShaLink project={project} sha={alert.drift_end_sha} />
                </span>,
              ] satisfies [string, ReactNode],
            ]
          : []),
        ["Author", alert.author ?? "not known"],
        ["Last known good", after ? <ShaLink key="after" project={project} sha={after} /> : "none"],
        ["Found", moment(alert.created_at)],
        ["Confirmed", confirmedText(alert)],
        ...(alert.fix_measured_at
          ? [["Fix measured", moment(alert.fix_measured_at)] satisfies [string, string]]
          : []),
        ...alert.expectations.map((one): [string, string] => [
          "Declared",
          `${one.scenario} ${one.metric} ${one.bound === null ? "by any size" : `up to ${change(ratio(one.bound))}`}: ${one.reason} (${one.who})`,
        ]),
        ...alert.mistakes.map((one): [string, string] => ["Not understood", one]),
      ]}
    />
  );
}
