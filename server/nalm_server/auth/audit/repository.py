# SPDX-License-Identifier: Apache-2.0
"""SQL of the audit log."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.audit.models import AuditRow


@dataclass(frozen=True)
class AuditFilter:
    """Conditions on entries; None: any."""

    project_id: int | None
    who: str | None
    action: str | None
    """`noun.verb`, or a noun for all its verbs."""
    before: int | None
    """Only entries with a smaller number."""
    limit: int


def page(session: Session, audit_filter: AuditFilter) -> list[tuple[AuditRow, str | None]]:
    """Newest first, each with its project's name."""
    query = select(AuditRow, ProjectRow.name).outerjoin(ProjectRow, ProjectRow.id == AuditRow.project_id)
    if audit_filter.project_id is not None:
        query = query.where(AuditRow.project_id == audit_filter.project_id)
    if audit_filter.who is not None:
        query = query.where(AuditRow.who == audit_filter.who)
    if audit_filter.action is not None:
        of_noun = AuditRow.action.startswith(f"{audit_filter.action}.", autoescape=True)
        query = query.where(or_(AuditRow.action == audit_filter.action, of_noun))
    if audit_filter.before is not None:
        query = query.where(AuditRow.id < audit_filter.before)
    found = session.execute(query.order_by(AuditRow.id.desc()).limit(audit_filter.limit))
    return [(row, name) for row, name in found]


def add(session: Session, row: AuditRow) -> None:
    session.add(row)
