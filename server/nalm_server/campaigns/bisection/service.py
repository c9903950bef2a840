# SPDX-License-Identifier: Apache-2.0
"""Bisects as people ask for, see and end them."""

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
from nalm_server.campaigns.bisection import repository
from nalm_server.campaigns.bisection.models import BisectRow
from nalm_server.campaigns.bisection.schemas import (
    ACTIVE,
    Bisect,
    BisectDetail,
    BisectNew,
    BisectState,
    BisectStep,
)
from nalm_server.db.context import Context
from nalm_server.jobs import actions, approvals, revisions
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs import service as jobs
from nalm_server.results.series import repository as scenarios
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake


def create(context: Context, caller: Principal, project: str, new: BisectNew) -> BisectDetail:
    """Looks the ends up in the repository, then stores the bisect; a worker takes it from there."""
    with context.read_sessions() as session:
        row = require_project(session, caller, project, Role.DEVELOPER)
        _require_seen_scenario(session, row.id, new.scenario)
    good, bad = (revisions.resolve(context, row, one) for one in (new.good, new.bad))
    if good == bad:
        raise InvalidError(f"Good and bad are both {short(good)}: there is nothing between them.")
    now = context.clock()
    with context.sessions() as session:
        approvals.require_base(session, row.id, good)
        made = start(
            session, row.id, new.scenario, good=good, bad=bad, requested_by=caller.name[:128], now=now
        )
        record(session, caller, "bisect.create", f"bisect {made.id}", now, project_id=row.id)
        detail = _detail(session, made)
        session.commit()
    return detail


def start(
    session: Session, project_id: int, scenario: str, *, good: str, bad: str, requested_by: str, now: datetime
) -> BisectRow:
    """Stores it; a worker reads its range and goes on."""
    wake(session, Work.JOBS)
    return repository.add(
        session,
        BisectRow(
            project_id=project_id,
            scenario=scenario,
            good_sha=good,
            bad_sha=bad,
            state=BisectState.PLANNING,
            requested_by=requested_by,
            tries=0,
            created_at=now,
            updated_at=now,
        ),
    )


def list_bisects(session: Session, caller: Principal, project: str, limit: int) -> list[Bisect]:
    row = require_project(session, caller, project, Role.READER)
    return [_bisect(one, row.name) for one in repository.of_project(session, row.id, limit)]


def get(session: Session, caller: Principal, bisect_id: int) -> BisectDetail:
    return _detail(session, _require(session, caller, bisect_id, Role.READER))


def cancel(session: Session, caller: Principal, bisect_id: int, now: datetime) -> BisectDetail:
    """Ends it and its open job. Saying it twice changes nothing."""
    _require(session, caller, bisect_id, Role.DEVELOPER)
    row = repository.lock(session, bisect_id)
    if row is None or row.state not in (*ACTIVE, BisectState.CANCELLED):
        raise ConflictError(f"Bisect {bisect_id} is over.")
    if stop(session, bisect_id, f"cancelled by {caller.name}", now, caller.name):
        record(session, caller, "bisect.cancel", f"bisect {row.id}", now, project_id=row.project_id)
        session.flush()
    return _detail(session, row)


def stop(session: Session, bisect_id: int, why: str, now: datetime, who: str | None = None) -> bool:
    """Ends it and its open job. False: it is over, or there is none."""
    row = repository.lock(session, bisect_id)
    if row is None or row.state not in ACTIVE:
        return False
    row.state, row.updated_at, row.finished_at = BisectState.CANCELLED, now, now
    row.message = why
    for job_id in job_rows.open_of_group(session, bisect_id=row.id):
        actions.cancel_if_open(session, jobs.require_locked(session, job_id), why, now, who)
    session.flush()
    return True


def _require_seen_scenario(session: Session, project_id: int, name: str) -> None:
    """Before a project's first run nothing is known of its scenarios."""
    known = [one.name for one in scenarios.list_scenarios(session, project_id)]
    if known and name not in known:
        raise InvalidError(f"No run has told of a scenario {name!r}; known are {', '.join(known[:20])}.")


def _require(session: Session, caller: Principal, bisect_id: int, role: Role) -> BisectRow:
    row = repository.find(session, bisect_id)
    missing = f"There is no bisect {bisect_id}."
    if row is None:
        raise NotFoundError(missing)
    require_role(session, caller, row.project_id, role, missing=missing)
    return row


def _bisect(row: BisectRow, project: str) -> Bisect:
    own = {"project", "commits"}
    fields = {name: getattr(row, name) for name in Bisect.model_fields if name not in own}
    commits = len(row.commits) - 1 if row.commits is not None else None
    return Bisect(project=project, commits=commits, **fields)


def _detail(session: Session, row: BisectRow) -> BisectDetail:
    steps = [BisectStep.model_validate(one) for one in repository.steps(session, row.id)]
    return BisectDetail(**dict(_bisect(row, name_of(session, row.project_id))), steps=steps)
