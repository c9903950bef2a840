// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { AuditEntry } from "../../../shared/api/types";
import { numbered } from "./auditSubjects";

/** What was acted on, with the way to it where it has a page of its own. */
export function AuditSubject({ of }: { of: AuditEntry }) {
  const { subject, project } = of;
  const it = numbered(subject);
  if (it === null) return <>{subject}</>;
  if (it.kind === "job")
    return (
      <Link to="/jobs/$jobId" params={{ jobId: it.id }}>
        {subject}
      </Link>
    );
  if (project === null) return <>{subject}</>;
  return (
    <Link to={PAGES[it.kind]} params={{ project, id: it.id }}>
      {subject}
    </Link>
  );
}

const PAGES = {
  alert: "/p/$project/alerts/$id",
  backfill: "/p/$project/backfills/$id",
  bisect: "/p/$project/bisections/$id",
} as const;
