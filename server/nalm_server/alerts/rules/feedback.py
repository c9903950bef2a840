# SPDX-License-Identifier: Apache-2.0
"""A false alarm raises the noise floor of its series; reopening the alert removes that floor."""

from __future__ import annotations

from datetime import datetime

from nalm_core.findings.noise_floor import floor_taught
from nalm_core.report.defaults import MARGIN
from sqlalchemy.orm import Session

from nalm_server.alerts import headline, repository
from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.alerts.rules import decisions, rule_repository
from nalm_server.alerts.rules.models import FloorRow
from nalm_server.alerts.schemas import Floor
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import NotFoundError


def teach(session: Session, alert: AlertRow, who: str, now: datetime) -> None:
    """Raises the floor of every series that got worse in the alert."""
    for move in repository.moves(session, alert.id):
        if move.kind == "regression" and headline.size(move) > 0:
            _raise(session, alert, move, who, now)
    session.flush()


def _raise(session: Session, alert: AlertRow, move: AlertMoveRow, who: str, now: datetime) -> None:
    series = {
        "scenario": move.scenario,
        "host_class": move.host_class,
        "stage": move.stage,
        "metric": move.metric,
    }
    row = rule_repository.floor(session, alert.project_id, **series)
    left = decisions.left_of(row, now) if row is not None else 0.0
    row = row or FloorRow(project_id=alert.project_id, **series)
    row.size = floor_taught(headline.size(move), MARGIN, left)
    row.alert_id, row.who, row.set_at = alert.id, who, now
    rule_repository.add(session, row)


def forget(session: Session, alert: AlertRow) -> None:
    """Removes the floors that this alert set."""
    for row in rule_repository.floors(session, alert.project_id):
        if row.alert_id == alert.id:
            rule_repository.remove(session, row)


def list_floors(session: Session, caller: Principal, project: str, now: datetime) -> list[Floor]:
    row = require_project(session, caller, project, Role.READER)
    names = ("id", "scenario", "host_class", "stage", "metric", "size", "alert_id", "who", "set_at")
    return [
        Floor(left=decisions.left_of(one, now), **{name: getattr(one, name) for name in names})
        for one in rule_repository.floors(session, row.id)
    ]


def reset(session: Session, caller: Principal, project: str, number: int, now: datetime) -> None:
    """Removes the floor of a series."""
    found = require_project(session, caller, project, Role.MAINTAINER)
    row = rule_repository.find_floor(session, number)
    if row is None or row.project_id != found.id:
        raise NotFoundError(f"Project {project!r} has no floor {number}.")
    series = f"{row.scenario} {row.stage} {row.metric} on {row.host_class}"
    record(session, caller, "floor.reset", series, now, project_id=found.id)
    rule_repository.remove(session, row)
