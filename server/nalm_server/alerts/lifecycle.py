# SPDX-License-Identifier: Apache-2.0
"""The steps of an alert's life that the service takes itself. Each said twice changes nothing."""

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
    """Puts it into the state. Raises ConflictError for a change that makes no sense."""
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
    """A line of its history in the state it is in. messages: sent of it; None: not told to anybody."""
    step = AlertStateRow(alert_id=alert.id, state=alert.state, at=now, who=who, why=why)
    step.notified, step.messages = messages is not None, messages
    repository.add_state(session, step)


def confirm(session: Session, alert: AlertRow, why: str, now: datetime, *, again: bool = True) -> None:
    """A second measurement saw it too. again: False where none could be made: it counts as first seen."""
    if alert.confirmed_at is not None:
        return
    if again:
        _confirmed(session, alert, now)
    if alert.state == AlertState.NEW:
        enter(session, alert, AlertState.CONFIRMED, why, now)
    else:
        note(session, alert, why, now)


def _confirmed(session: Session, alert: AlertRow, at: datetime) -> None:
    """Counts what was measured since now: when pages ask, there may be a long history after the culprit."""
    alert.confirmed_at = at
    alert.measured_after = repository.measured_after(session, alert.commit_id, at)


def dismiss(session: Session, alert: AlertRow, why: str, now: datetime) -> None:
    """The second measurement did not see it. What a person has taken up already stays theirs."""
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
    """The commit took away what the alert is about. measured: pairs saw it go, not the history."""
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
    """The commit took away a part of what the alert is about; the rest is still to do."""
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
    """It is there again, or was never gone."""
    if alert.state in ACTIVE and alert.state != AlertState.PARTLY_FIXED:
        return
    forget_fix(alert)
    enter(session, alert, AlertState.REOPENED, why, now, who=who)


def forget_fix(alert: AlertRow) -> None:
    """What fixed it does so no more, or never did."""
    alert.fixed_by_id = alert.fix_measured_at = alert.recovery = None


def move_culprit(session: Session, alert: AlertRow, commit_id: int, why: str, now: datetime) -> AlertRow:
    """It was another commit. The alert that stands for that one from now on: this, or the one it has."""
    if alert.commit_id == commit_id:
        return alert
    other = repository.of_commit(session, commit_id)
    if other is None:
        alert.commit_id, alert.after_commit_id, alert.updated_at = commit_id, None, now
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
