# SPDX-License-Identifier: Apache-2.0
"""SQL of the audit log."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.audit.models import AuditRow
from nalm_server.projects.models import ProjectRow


def page(
    session: Session, project_id: int | None, before: int | None, limit: int
) -> list[tuple[AuditRow, str | None]]:
    """Newest first, each with its project's name; only entries older than the one numbered `before`."""
    query = select(AuditRow, ProjectRow.name).outerjoin(ProjectRow, ProjectRow.id == AuditRow.project_id)
    if project_id is not None:
        query = query.where(AuditRow.project_id == project_id)
    if before is not None:
        query = query.where(AuditRow.id < before)
    return [(row, name) for row, name in session.execute(query.order_by(AuditRow.id.desc()).limit(limit))]
