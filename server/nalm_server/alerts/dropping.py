# SPDX-License-Identifier: Apache-2.0
"""Alerts of commits that a forced push dropped from the default branch, and those of commits that came back.
The caller holds the project's lock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.alerts import fixes, lifecycle, ports, repository
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import ACTIVE, AlertState
from nalm_server.git.commits.models import CommitRow

DROPPED = "dropped by a force push"


def dropped(session: Session, commits: Sequence[CommitRow], now: datetime) -> None:
    """Dismisses their active alerts, and reopens those that they had fixed."""
    by_id = {row.id: row for row in commits}
    for alert in repository.of_commits(session, list(by_id)):
        if alert.state in ACTIVE:
            lifecycle.enter(session, alert, AlertState.DISMISSED, DROPPED, now)
    for alert in repository.fixed_by_any(session, list(by_id)):
        assert alert.fixed_by_id is not None
        _unfix(session, alert, by_id[alert.fixed_by_id], now)


def _unfix(session: Session, alert: AlertRow, fix: CommitRow, now: datetime) -> None:
    """What other commits took back of the change stays."""
    if alert.state in (AlertState.FIXED, AlertState.PARTLY_FIXED):
        why = f"{short(fix.sha)}, which took it back, was {DROPPED}"
        lifecycle.reopen(session, alert, why, now)
    elif alert.state in ACTIVE:
        lifecycle.forget_fix(alert)
    if alert.state in ACTIVE:
        fixes.weigh(session, alert, now)


def returned(session: Session, project_id: int, now: datetime) -> None:
    """Renews dismissed alerts whose commit was dropped and is on the default branch again."""
    for alert in repository.dismissed_on_line(session, project_id, DROPPED):
        why = f"{short(lifecycle.sha_of(session, alert.commit_id))} is on the default branch again"
        if alert.confirmed_at is not None:
            lifecycle.reopen(session, alert, why, now)
        else:
            lifecycle.enter(session, alert, AlertState.NEW, why, now)
            ports.suspected(session, alert, now)
