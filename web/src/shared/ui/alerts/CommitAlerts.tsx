// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { alertsQuery } from "../../api/alerts";
import { Icon } from "../Icon";

/** Links to what was found at a commit; nothing while there is nothing. */
export function CommitAlerts({ project, sha }: { project: string; sha: string }) {
  const { data: alerts = [] } = useQuery(alertsQuery(project, { commit: sha, limit: 5 }));
  return alerts.map((alert) => (
    <Link
      key={alert.id}
      className="tag"
      to="/p/$project/alerts/$id"
      params={{ project, id: String(alert.id) }}
    >
      <Icon name="invalid" size={12} /> alert {alert.id}, {alert.state.replaceAll("_", " ")}
    </Link>
  ));
}
