# SPDX-License-Identifier: Apache-2.0
"""Reverts what a person just did with an alert, with its effects on noise floors and expectations.

Messages that were sent stay sent; the alert's history keeps both steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from nalm_server.alerts import lifecycle, ports, repository
from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.alerts.rules import rule_repository
from nalm_server.alerts.rules.models import ExpectationRow, FloorRow
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import ConflictError

WITHIN = timedelta(minutes=10)
FIELDS = ("state", "reason", "bound", "assignee", "fixed_by_id", "recovery")
SERIES = ("scenario", "host_class", "stage", "metric")
OF_FLOOR = (*SERIES, "size", "alert_id", "who")
OF_EXPECTATION = ("scenario", "metric", "bound", "reason", "who")


@contextmanager
def undoable(session: Session, caller: Principal, alert: AlertRow, now: datetime) -> Iterator[None]:
    """What is changed inside can be reverted. The caller holds the locks of project and alert."""
    before = _snapshot(session, alert)
    yield
    alert.undo = {"who": caller.name[:128], "at": now.isoformat(), **before}
    session.flush()


def revert(session: Session, caller: Principal, alert: AlertRow, now: datetime) -> None:
    """Raises ConflictError if somebody else, or too much time, came after the change."""
    before = _require(alert, caller, now)
    undone = alert.state
    for name in FIELDS:
        setattr(alert, name, before[name])
    measured = before["fix_measured_at"]
    alert.fix_measured_at = None if measured is None else datetime.fromisoformat(measured)
    for move in repository.moves(session, alert.id):
        move.fate = before["fates"].get(str(move.id), move.fate)
    _restore(
        session,
        alert.id,
        _floors(session, alert),
        before["floors"],
        key=SERIES,
        make=lambda values: FloorRow(project_id=alert.project_id, **_dated(values, "set_at")),
    )
    _restore(
        session,
        alert.id,
        _expectations(session, alert),
        before["expectations"],
        key=("scenario", "metric"),
        make=lambda values: ExpectationRow(
            project_id=alert.project_id,
            commit_id=alert.commit_id,
            source="triage",
            **_dated(values, "created_at"),
        ),
    )
    alert.undo, alert.updated_at = None, now
    why = "undone" if undone == alert.state else f"undone: {undone}"
    lifecycle.note(session, alert, why, now, who=caller.name[:128])
    record(session, caller, "alert.undo", f"alert {alert.id}", now, project_id=alert.project_id, detail=why)
    session.flush()
    ports.changed(session, alert, now)


def _require(alert: AlertRow, caller: Principal, now: datetime) -> dict[str, Any]:
    before = alert.undo
    if before is None:
        raise ConflictError(f"Alert {alert.id} has no change to undo.")
    at = datetime.fromisoformat(before["at"])
    if before["who"] != caller.name[:128]:
        raise ConflictError(
            f"{before['who']} made the last change of alert {alert.id}: only they can undo it."
        )
    if alert.updated_at != at:
        raise ConflictError(f"Alert {alert.id} has changed since: set its state instead.")
    if now - at > WITHIN:
        minutes = round(WITHIN.total_seconds() / 60)
        raise ConflictError(
            f"The last change of alert {alert.id} is older than {minutes} minutes: set its state instead."
        )
    return before


def _snapshot(session: Session, alert: AlertRow) -> dict[str, Any]:
    measured = alert.fix_measured_at
    return {
        **{name: getattr(alert, name) for name in FIELDS},
        "fix_measured_at": None if measured is None else measured.isoformat(),
        "fates": {str(move.id): move.fate for move in repository.moves(session, alert.id)},
        "floors": [_values(row, OF_FLOOR, "set_at") for row in _floors(session, alert)],
        "expectations": [_values(row, OF_EXPECTATION, "created_at") for row in _expectations(session, alert)],
    }


def _floors(session: Session, alert: AlertRow) -> list[FloorRow]:
    moved = {_key(move, SERIES) for move in repository.moves(session, alert.id)}
    return [row for row in rule_repository.floors(session, alert.project_id) if _key(row, SERIES) in moved]


def _expectations(session: Session, alert: AlertRow) -> list[ExpectationRow]:
    return [
        row for row in rule_repository.expectations_at(session, alert.commit_id) if row.source == "triage"
    ]


def _restore(
    session: Session,
    alert_id: int,
    rows: Sequence[FloorRow] | Sequence[ExpectationRow],
    before: Sequence[dict[str, Any]],
    *,
    key: Sequence[str],
    make: Callable[[dict[str, Any]], FloorRow | ExpectationRow],
) -> None:
    """Replaces rows that were added or changed by those from before."""
    left = {tuple(values[name] for name in key): values for values in before}
    for row in rows:
        dated = "set_at" if isinstance(row, FloorRow) else "created_at"
        same = left.get(_key(row, key))
        later = isinstance(row, FloorRow) and row.alert_id != alert_id
        if same is None and later:  # another alert's, of after the change
            continue
        if same is not None and _values(row, [name for name in same if name != dated], dated) == same:
            del left[_key(row, key)]
        else:
            rule_repository.remove(session, row)
    for values in left.values():
        rule_repository.add(session, make(values))


def _key(row: FloorRow | ExpectationRow | AlertMoveRow, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in names)


def _values(row: FloorRow | ExpectationRow, names: Sequence[str], dated: str) -> dict[str, Any]:
    return {**{name: getattr(row, name) for name in names}, dated: getattr(row, dated).isoformat()}


def _dated(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {**values, name: datetime.fromisoformat(values[name])}
