# SPDX-License-Identifier: Apache-2.0
"""Common to all kinds of campaigns: start, access, cancel."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_role
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import ConflictError, NotFoundError
from nalm_server.campaigns import repository
from nalm_server.campaigns.kind import CANCELLED, PLANNING, end
from nalm_server.jobs import actions
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs import service as jobs
from nalm_server.jobs.models import CampaignRow
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake

NOUNS = {"bisect": "bisection"}
"""Kinds whose name is a verb."""


def start(
    session: Session,
    project_id: int,
    kind: str,
    spec: dict[str, Any],
    *,
    requested_by: str,
    now: datetime,
    state: str = PLANNING,
) -> CampaignRow:
    """Stores the campaign; a worker plans it, unless its state is a later one, and advances it."""
    wake(session, Work.JOBS)
    return repository.add(
        session,
        CampaignRow(
            project_id=project_id,
            kind=kind,
            number=repository.next_number(session, kind),
            state=state,
            active=True,
            spec=spec,
            result={},
            requested_by=requested_by[:128],
            tries=0,
            created_at=now,
            updated_at=now,
        ),
    )


def require(session: Session, caller: Principal, kind: str, number: int, role: Role) -> CampaignRow:
    row = repository.find(session, kind, number)
    missing = f"There is no {NOUNS.get(kind, kind)} {number}."
    if row is None:
        raise NotFoundError(missing)
    require_role(session, caller, row.project_id, role, missing=missing)
    return row


def cancel(session: Session, caller: Principal, kind: str, number: int, now: datetime) -> CampaignRow:
    """Cancels it and its open jobs. Repeating it changes nothing."""
    row = require(session, caller, kind, number, Role.DEVELOPER)
    if stop(session, row, f"cancelled by {caller.name}", now, caller.name):
        record(session, caller, f"{kind}.cancel", f"{kind} {number}", now, project_id=row.project_id)
        session.flush()
    elif row.state != CANCELLED:
        raise ConflictError(f"{NOUNS.get(kind, kind).capitalize()} {number} is over.")
    return row


def stop(session: Session, campaign: CampaignRow, why: str, now: datetime, who: str | None = None) -> bool:
    """Ends it and its open jobs, except those for which other campaigns wait. False: it had ended. Locks the
    project first, like the engine."""
    projects.lock(session, campaign.project_id)
    row = repository.lock(session, campaign.id)
    if row is None or not row.active:
        return False
    end(row, CANCELLED, now, why)
    repository.hand_over(session, row.id)
    for number in job_rows.open_of_campaign(session, row.id):
        actions.cancel_if_open(session, jobs.require_locked(session, number), why, now, who)
    session.flush()
    repository.settle(session, row.id)
    return True
