# SPDX-License-Identifier: Apache-2.0
"""Finds the alert of a suspicion: that of its commit, or one with an overlapping range and series."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.orm import Session

from nalm_server.alerts import repository
from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.alerts.suspicion import Moved, Suspicion
from nalm_server.git.commits import repository as commit_rows


def find(session: Session, suspicion: Suspicion) -> AlertRow | None:
    """None: there is none yet."""
    exact = repository.of_commit(session, suspicion.commit_id)
    if exact is not None:
        return surviving(session, exact)
    for undone in repository.fixed_by(session, suspicion.commit_id):
        if _share(suspicion.moved, repository.moves(session, undone.id)):
            return undone
    return _overlapping(session, suspicion)


def surviving(session: Session, alert: AlertRow) -> AlertRow:
    """The alert into which this one was merged."""
    while alert.merged_into_id is not None:
        alert = repository.get(session, alert.merged_into_id)
    return alert


def _overlapping(session: Session, suspicion: Suspicion) -> AlertRow | None:
    """Of several alerts, the one with the nearest culprit."""
    culprit = commit_rows.get(session, suspicion.commit_id)
    if suspicion.after_commit_id is None:
        after = repository.parent_position(session, culprit)
    else:
        after = commit_rows.get(session, suspicion.after_commit_id).position
    for alert in repository.overlapping(session, suspicion.project_id, after, culprit.position):
        if _share(suspicion.moved, repository.moves(session, alert.id)):
            return alert
    return None


def _share(moved: Iterable[Moved], known: Iterable[AlertMoveRow]) -> bool:
    """True for a common stage of a scenario, on any host class."""
    return bool({(one.scenario, one.stage) for one in moved} & {(one.scenario, one.stage) for one in known})
