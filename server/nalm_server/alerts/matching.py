# SPDX-License-Identifier: Apache-2.0
"""Finds the alert of a suspicion: that of its commit, or one with an overlapping range and series."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.orm import Session

from nalm_server.alerts import repository
from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.alerts.suspicion import Moved, Suspicion
from nalm_server.git.commits import repository as commit_rows
from nalm_server.git.commits.models import CommitRow


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
    after, to = _range(session, culprit, suspicion.after_commit_id)
    fitting = []
    for alert, commit in repository.with_commits(session, suspicion.project_id):
        its_after, its_to = _range(session, commit, alert.after_commit_id)
        if after < its_to and its_after < to:
            fitting.append((abs(its_to - to), alert.id, alert))
    for _, _, alert in sorted(fitting, key=lambda one: one[:2]):
        if _share(suspicion.moved, repository.moves(session, alert.id)):
            return alert
    return None


def _range(session: Session, culprit: CommitRow, after_commit_id: int | None) -> tuple[int, int]:
    """Positions (after, up to) of the range."""
    if after_commit_id is None:
        return repository.parent_position(session, culprit), culprit.position
    return commit_rows.get(session, after_commit_id).position, culprit.position


def _share(moved: Iterable[Moved], known: Iterable[AlertMoveRow]) -> bool:
    """True for a common stage of a scenario, on any host class."""
    return bool({(one.scenario, one.stage) for one in moved} & {(one.scenario, one.stage) for one in known})
