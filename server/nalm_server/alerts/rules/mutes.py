# SPDX-License-Identifier: Apache-2.0
"""Mutes of scenarios, and the list of expectations."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts.rules import rule_repository
from nalm_server.alerts.rules.models import MuteRow
from nalm_server.alerts.schemas import Expectation, Mute, MuteNew
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import InvalidError, NotFoundError


def list_mutes(session: Session, caller: Principal, project: str, now: datetime) -> list[Mute]:
    row = require_project(session, caller, project, Role.READER)
    return [Mute.model_validate(one) for one in rule_repository.mutes(session, row.id, now)]


def mute(session: Session, caller: Principal, project: str, new: MuteNew, now: datetime) -> Mute:
    found = require_project(session, caller, project, Role.DEVELOPER)
    if new.until is not None and new.until <= now:
        raise InvalidError(f"{new.until:%Y-%m-%d %H:%M} is in the past: give a later time, or none.")
    row = MuteRow(
        project_id=found.id,
        scenario=new.scenario,
        until=new.until,
        why=new.why,
        who=caller.name[:128],
        created_at=now,
    )
    rule_repository.add(session, row)
    record(session, caller, "mute.add", new.scenario, now, project_id=found.id, detail=new.why)
    return Mute.model_validate(row)


def end(session: Session, caller: Principal, project: str, number: int, now: datetime) -> None:
    found = require_project(session, caller, project, Role.DEVELOPER)
    row = rule_repository.find_mute(session, number)
    if row is None or row.project_id != found.id:
        raise NotFoundError(f"Project {project!r} has no mute {number}.")
    record(session, caller, "mute.end", row.scenario, now, project_id=found.id)
    rule_repository.remove(session, row)


def list_expectations(session: Session, caller: Principal, project: str) -> list[Expectation]:
    """Newest first."""
    row = require_project(session, caller, project, Role.READER)
    names = ("id", "scenario", "metric", "bound", "reason", "source", "who", "created_at")
    return [
        Expectation(sha=sha, **{name: getattr(one, name) for name in names})
        for one, sha in rule_repository.expectations(session, row.id)
    ]
