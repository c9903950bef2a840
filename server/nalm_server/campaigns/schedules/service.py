# SPDX-License-Identifier: Apache-2.0
"""Schedules for people: add, list, change, remove."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import ConflictError, NotFoundError
from nalm_server.campaigns.schedules import repository
from nalm_server.campaigns.schedules.cron import parse
from nalm_server.campaigns.schedules.models import ScheduleRow
from nalm_server.campaigns.schedules.schemas import Schedule, ScheduleChange, ScheduleNew
from nalm_server.jobs.schemas import names_to_measure

MOST = 50
"""Maximum number of schedules of a project."""


def create(session: Session, caller: Principal, project: str, new: ScheduleNew, now: datetime) -> Schedule:
    """The schedule is first due at the next time of its expression."""
    found = require_project(session, caller, project, Role.MAINTAINER)
    projects.lock(session, found.id)
    if repository.lock_named(session, found.id, new.name) is not None:
        raise ConflictError(f"There is a schedule {new.name!r} already: choose another name, or change it.")
    if repository.count(session, found.id) >= MOST:
        raise ConflictError(f"A project has at most {MOST} schedules: remove one first.")
    fields = new.model_dump(exclude={"kind", "scenarios", "since"})
    row = ScheduleRow(
        project_id=found.id,
        next_at=parse(new.cron).after(now),
        created_at=now,
        last_sha=new.since,
        scenarios=names_to_measure(new.kind, new.scenarios),
        **fields,
    )
    repository.add(session, row)
    _record(session, caller, "add", row, now)
    return _shown(row, found.name)


def list_schedules(session: Session, caller: Principal, project: str) -> list[Schedule]:
    found = require_project(session, caller, project, Role.READER)
    return [_shown(one, found.name) for one in repository.of_project(session, found.id)]


def change(
    session: Session, caller: Principal, project: str, name: str, *, changes: ScheduleChange, now: datetime
) -> Schedule:
    """A new expression, or enabling, counts from now: missed times are not made up."""
    found, row = _require(session, caller, project, name)
    given = changes.model_dump(exclude_unset=True)
    for key, value in given.items():
        if value is not None or key == "scenarios":
            setattr(row, key, value)
    if changes.cron is not None or changes.enabled:
        row.next_at = parse(row.cron).after(now)
    _record(session, caller, "change", row, now)
    session.flush()
    return _shown(row, found.name)


def remove(session: Session, caller: Principal, project: str, name: str, now: datetime) -> None:
    """Removes the schedule; its jobs and results stay."""
    _, row = _require(session, caller, project, name)
    _record(session, caller, "remove", row, now)
    repository.remove(session, row)


def _require(session: Session, caller: Principal, project: str, name: str) -> tuple[ProjectRow, ScheduleRow]:
    found = require_project(session, caller, project, Role.MAINTAINER)
    row = repository.lock_named(session, found.id, name)
    if row is None:
        raise NotFoundError(f"The project has no schedule {name!r}.")
    return found, row


def _record(session: Session, caller: Principal, verb: str, row: ScheduleRow, now: datetime) -> None:
    state = "" if row.enabled else ", not enabled"
    detail = f"{row.cron} against {row.against}{state}"
    record(
        session,
        caller,
        f"schedule.{verb}",
        f"schedule {row.name}",
        now,
        project_id=row.project_id,
        detail=detail,
    )


def _shown(row: ScheduleRow, project: str) -> Schedule:
    own = {"project", "next_at"}
    fields = {name: getattr(row, name) for name in Schedule.model_fields if name not in own}
    return Schedule(project=project, next_at=row.next_at if row.enabled else None, **fields)
