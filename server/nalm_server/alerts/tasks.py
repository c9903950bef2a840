# SPDX-License-Identifier: Apache-2.0
"""Ended mutes: what moved meanwhile becomes a finding and is measured again."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from sqlalchemy.orm import Session

from nalm_server.alerts import headline, lifecycle, ports, repository
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.rules import decisions
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.states import ACTIVE
from nalm_server.auth.access import project_repository as projects
from nalm_server.db.context import Context
from nalm_server.worker.for_each import each


def drain(context: Context) -> None:
    """Renews each alert whose mute has ended, in a transaction each."""
    now = context.clock()
    with context.read_sessions() as session:
        due = {
            alert_id: None
            for alert_id, project_id, scenario in repository.silenced(session)
            if not decisions.is_muted(session, project_id, scenario, now)
        }
    each("ended mute", list(due), partial(_work_on, context))


def _work_on(context: Context, alert_id: int) -> None:
    with context.sessions() as session:
        alert = repository.find(session, alert_id)
        if alert is not None:
            projects.lock(session, alert.project_id)
            _hear(session, repository.lock(session, alert_id), context.clock())
        session.commit()


def _hear(session: Session, alert: AlertRow, now: datetime) -> None:
    heard = [
        one
        for one in repository.moves(session, alert.id)
        if one.fate == Fate.MUTED and not decisions.is_muted(session, alert.project_id, one.scenario, now)
    ]
    if not heard or alert.state not in ACTIVE:
        return
    for one in heard:
        one.fate = Fate.ALERT
    alert.muted, alert.updated_at = False, now
    headline.refresh(session, alert)
    lifecycle.note(session, alert, "its mute has ended", now)
    ports.changed(session, alert, now)
    ports.suspected(session, alert, now)
