# SPDX-License-Identifier: Apache-2.0
"""Changes of an alert's state by the service itself. Each is idempotent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from nalm_core.findings.recovery import Recovery
from sqlalchemy.orm import Session

from nalm_server.alerts import headline, ports, repository
from nalm_server.alerts.models import AlertRow, AlertStateRow
from nalm_server.alerts.states import ACTIVE, AlertState, require_allowed
from nalm_server.git.commits import repository as commit_rows


def enter(
    session: Session, alert: AlertRow, state: AlertState, why: str, now: datetime, *, who: str | None = None
) -> None:
    """Sets the state. Raises ConflictError for a change that is not allowed."""
    require_allowed(alert.id, AlertState(alert.state), state)
    alert.state, alert.reason, alert.updated_at = state, why, now
    messages = ports.notify.call(session, alert, why, now)
    note(session, alert, why, now, who=who, messages=messages)
    ports.changed(session, alert, now)


def note(
    session: Session,
    alert: AlertRow,
    why: str,
    now: datetime,
    *,
    who: str | None = None,
    messages: int | None = None,
) -> None:
    """Adds a step to the alert's history, in its present state. messages: number sent; None: not notified."""
    step = AlertStateRow(alert_id=alert.id, state=alert.state, at=now, who=who, why=why)
    step.notified, step.messages = messages is not None, messages
    repository.add_state(session, step)


def confirm(session: Session, alert: AlertRow, why: str, now: datetime, *, again: bool = True) -> None:
    """A second measurement shows the change. again: False if none is possible; it is then confirmed as
    seen."""
    if alert.confirmed_at is not None:
        return
    if again:
        _confirmed(session, alert, now)
    if alert.state == AlertState.NEW:
        enter(session, alert, AlertState.CONFIRMED, why, now)
    else:
        note(session, alert, why, now)


def _confirmed(session: Session, alert: AlertRow, at: datetime) -> None:
    """Counts the commits measured since, now: later, the history after the culprit may be long."""
    alert.confirmed_at = at
    alert.measured_after = repository.measured_after(session, alert.commit_id, at)


def dismiss(session: Session, alert: AlertRow, why: str, now: datetime) -> None:
    """The second measurement does not show the change. An alert that a person took up stays as it is."""
    if alert.state == AlertState.NEW:
        enter(session, alert, AlertState.DISMISSED, why, now)


def fix(
    session: Session,
    alert: AlertRow,
    commit_id: int,
    why: str,
    now: datetime,
    *,
    recovery: Sequence[Recovery] = (),
    measured: bool = False,
) -> None:
    """The commit undid the change. measured: shown by pairs, not by the history."""
    if alert.state not in ACTIVE:
        return
    _recovered(alert, commit_id, recovery)
    if measured and alert.fix_measured_at is None:
        alert.fix_measured_at = now
    enter(session, alert, AlertState.FIXED, why, now)


def partly_fix(
    session: Session,
    alert: AlertRow,
    commit_id: int,
    why: str,
    now: datetime,
    *,
    recovery: Sequence[Recovery],
) -> None:
    """The commit undid a part of the change; the alert stays open for the rest."""
    known = alert.fixed_by_id == commit_id and alert.recovery == [
        one.model_dump(mode="json") for one in recovery
    ]
    if known and alert.state in (AlertState.PARTLY_FIXED, AlertState.ACKNOWLEDGED):
        return
    _recovered(alert, commit_id, recovery)
    alert.fix_measured_at = None
    enter(session, alert, AlertState.PARTLY_FIXED, why, now)


def _recovered(alert: AlertRow, commit_id: int, recovery: Sequence[Recovery]) -> None:
    alert.fixed_by_id = commit_id
    alert.recovery = [one.model_dump(mode="json") for one in recovery]


def reopen(session: Session, alert: AlertRow, why: str, now: datetime, *, who: str | None = None) -> None:
    """The change is there again, or was never undone."""
    if alert.state in ACTIVE and alert.state != AlertState.PARTLY_FIXED:
        return
    forget_fix(alert)
    enter(session, alert, AlertState.REOPENED, why, now, who=who)


def forget_fix(alert: AlertRow) -> None:
    """Removes the fix: it no longer fixes the alert, or never did."""
    alert.fixed_by_id = alert.fix_measured_at = alert.recovery = None


def move_culprit(session: Session, alert: AlertRow, commit_id: int, why: str, now: datetime) -> AlertRow:
    """Moves the alert to another culprit. Returns this alert, or the one that the culprit already has."""
    if alert.commit_id == commit_id:
        return alert
    other = repository.of_commit(session, commit_id)
    if other is None:
        alert.commit_id, alert.after_commit_id, alert.drift_end_id = commit_id, None, None
        alert.updated_at = now
        if alert.confirmed_at is not None:
            _confirmed(session, alert, alert.confirmed_at)
        session.flush()
        note(session, alert, why, now)
        return alert
    for move in repository.moves(session, alert.id):
        move.alert_id = other.id
    alert.merged_into_id = other.id
    if alert.state != AlertState.DISMISSED:
        enter(session, alert, AlertState.DISMISSED, f"{why} (alert {other.id})", now)
    session.flush()
    headline.refresh(session, other)
    note(session, other, f"{why} (from alert {alert.id})", now)
    return other


def sha_of(session: Session, commit_id: int) -> str:
    return commit_rows.get(session, commit_id).sha
