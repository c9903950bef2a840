# SPDX-License-Identifier: Apache-2.0
"""Writes the audit log in the transaction of the change."""

from __future__ import annotations

from datetime import datetime

import structlog
from sqlalchemy.orm import Session

from nalm_server.auth.audit import repository
from nalm_server.auth.audit.models import AuditRow
from nalm_server.auth.audit.repository import AuditFilter
from nalm_server.auth.audit.schemas import AuditEntry
from nalm_server.auth.tokens.principal import Principal


def record(
    session: Session,
    caller: Principal,
    action: str,
    subject: str,
    now: datetime,
    *,
    project_id: int | None = None,
    detail: str | None = None,
) -> None:
    """Adds an entry: `who` did `action` (noun.verb) to `subject`, in the current request."""
    repository.add(
        session,
        AuditRow(
            at=now,
            who=caller.name[:128],
            action=action,
            project_id=project_id,
            subject=subject[:256],
            detail=detail,
            request_id=structlog.contextvars.get_contextvars().get("request_id"),
        ),
    )


def entries(session: Session, audit_filter: AuditFilter) -> list[AuditEntry]:
    return [
        AuditEntry(
            id=row.id,
            at=row.at,
            who=row.who,
            action=row.action,
            project=project,
            subject=row.subject,
            detail=row.detail,
            request_id=row.request_id,
        )
        for row, project in repository.page(session, audit_filter)
    ]
