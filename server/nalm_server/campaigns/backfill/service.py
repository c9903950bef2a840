# SPDX-License-Identifier: Apache-2.0
"""Backfills as people ask for, see and end them."""

from __future__ import annotations

from datetime import datetime

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_repository import name_of
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project, require_role
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.service import Principal
from nalm_server.base.errors import ConflictError, InvalidError, NotFoundError
from nalm_server.campaigns.backfill import repository
from nalm_server.campaigns.backfill.models import BackfillRow
from nalm_server.campaigns.backfill.schemas import ACTIVE, Backfill, BackfillNew, BackfillState, Progress
from nalm_server.db.context import Context
from nalm_server.jobs import actions, approvals, revisions
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs import service as jobs
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake


def create(context: Context, caller: Principal, project: str, new: BackfillNew) -> Backfill:
    """Looks the ends up in the repository, then stores the backfill; a worker takes it from there."""
    with context.read_sessions() as session:
        row = require_project(session, caller, project, Role.DEVELOPER)
    first, last = (revisions.resolve(context, row, one) for one in (new.first, new.last))
    if first == last:
        raise InvalidError(f"First and last are both {short(first)}: there is nothing between them.")
    now = context.clock()
    with context.sessions() as session:
        approvals.require_base(session, row.id, first)
        made = repository.add(
            session,
            BackfillRow(
                project_id=row.id,
                first_sha=first,
                last_sha=last,
                every=new.every,
                scenarios=new.scenarios,
                state=BackfillState.PLANNING,
                requested_by=caller.name[:128],
                tries=0,
                created_at=now,
                updated_at=now,
            ),
        )
        record(session, caller, "backfill.create", f"backfill {made.id}", now, project_id=row.id)
        wake(session, Work.JOBS)
        session.commit()
        return _backfill(made, row.name, {})


def list_backfills(session: Session, caller: Principal, project: str, limit: int) -> list[Backfill]:
    row = require_project(session, caller, project, Role.READER)
    found = repository.of_project(session, row.id, limit)
    counts = repository.counts(session, [one.id for one in found])
    return [_backfill(one, row.name, counts.get(one.id, {})) for one in found]


def get(session: Session, caller: Principal, backfill_id: int) -> Backfill:
    return _shown(session, _require(session, caller, backfill_id, Role.READER))


def cancel(session: Session, caller: Principal, backfill_id: int, now: datetime) -> Backfill:
    """Ends it and its open jobs. Saying it twice changes nothing."""
    _require(session, caller, backfill_id, Role.DEVELOPER)
    row = repository.lock(session, backfill_id)
    if row is None or row.state not in (*ACTIVE, BackfillState.CANCELLED):
        raise ConflictError(f"Backfill {backfill_id} is over.")
    if row.state in ACTIVE:
        row.state, row.updated_at, row.finished_at = BackfillState.CANCELLED, now, now
        row.message = f"cancelled by {caller.name}"
        for job_id in job_rows.open_of_group(session, backfill_id=row.id):
            job = jobs.require_locked(session, job_id)
            actions.cancel_if_open(session, job, row.message, now, caller.name)
        session.flush()
        repository.settle(session, row.id)
        record(session, caller, "backfill.cancel", f"backfill {row.id}", now, project_id=row.project_id)
    return _shown(session, row)


def _require(session: Session, caller: Principal, backfill_id: int, role: Role) -> BackfillRow:
    row = repository.find(session, backfill_id)
    missing = f"There is no backfill {backfill_id}."
    if row is None:
        raise NotFoundError(missing)
    require_role(session, caller, row.project_id, role, missing=missing)
    return row


def _shown(session: Session, row: BackfillRow) -> Backfill:
    counts = repository.counts(session, [row.id])
    return _backfill(row, name_of(session, row.project_id), counts.get(row.id, {}))


def _backfill(row: BackfillRow, project: str, counts: dict[str, int]) -> Backfill:
    own = {"project", "progress"}
    fields = {name: getattr(row, name) for name in Backfill.model_fields if name not in own}
    states = {name: counts.get(name, 0) for name in Progress.model_fields if name != "total"}
    return Backfill(project=project, progress=Progress(total=sum(counts.values()), **states), **fields)
