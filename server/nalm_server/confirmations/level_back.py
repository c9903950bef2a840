# SPDX-License-Identifier: Apache-2.0
"""A finding is fixed when its series are back at their level, though no pair showed which commit did it.

What a measured pair undoes is matched by alerts.fixing; a change point that holds such a commit is
that of the pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from math import log

from nalm_core.fixes import restores
from nalm_core.history.change import is_large
from sqlalchemy.orm import Session

from nalm_server.alerts import life
from nalm_server.alerts import repository as alerts
from nalm_server.alerts.fates import Fate
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import ACTIVE
from nalm_server.alerts.suspicion import CHAIN
from nalm_server.commits.models import CommitRow
from nalm_server.judgement import points_repository as points
from nalm_server.judgement.points_repository import Point
from nalm_server.judgement.schemas import PointState

LAST_PLACE = 2**31 - 1
DECIDES = "cpp"

Level = tuple[str, str, str]
"""scenario, host class, stage."""


def look(session: Session, project_id: int, now: datetime) -> None:
    """After the project's change points were weighed. Of several findings that an improvement may undo, the
    newest is meant. The caller holds the project's lock."""
    found = alerts.with_commits(session, project_id)
    still_open = [(alert, culprit) for alert, culprit in found if alert.state in ACTIVE]
    if not still_open:
        return
    first = min(culprit.position for _, culprit in still_open)
    taken = {alert.fixed_by_id for alert, _ in found} - {None}
    places = [session.get_one(CommitRow, number).position for number in sorted(filter(None, taken))]
    after = points.between(session, project_id, DECIDES, first + 1, LAST_PLACE)
    better = [one for one in after if _is_better(one) and not _holds(one, places)]
    for alert, culprit in still_open:
        used = _undoing(session, alert, [one for one in better if one.low >= culprit.position])
        if used:
            last = max(used, key=lambda one: (one.place, one.row.id))
            life.fix(session, alert, last.row.commit_id, "the history is back at its level", now)
            better = [one for one in better if not _holds(one, [last.place])]


def _is_better(one: Point) -> bool:
    return one.row.significant and one.row.ratio < 1 and is_large(one.row.ratio) and _is_told(one)


def _is_told(one: Point) -> bool:
    return one.row.state in (PointState.NEW, PointState.STANDING)


def _holds(one: Point, places: Iterable[int]) -> bool:
    return any(one.low < place <= one.high for place in places)


def _undoing(session: Session, alert: AlertRow, better: Sequence[Point]) -> list[Point]:
    """The points that together take back what was lost, everywhere it was; empty if they do not."""
    used: list[Point] = []
    lost = _lost(session, alert)
    for level, size in lost.items():
        own = [one for one in better if (one.scenario, one.host_class, one.stage) == level]
        if not restores(size, -sum(log(one.row.ratio) for one in own)):
            return []
        used += own
    return used


def _lost(session: Session, alert: AlertRow) -> dict[Level, float]:
    """By level of the chain, or where only stages moved of those, ln of what it came to cost."""
    moved = [
        one
        for one in alerts.moves(session, alert.id)
        if one.fate == Fate.ALERT and one.kind == "regression" and one.metric == DECIDES and one.ratio > 1
    ]
    chains = {(one.scenario, one.host_class) for one in moved if one.stage == CHAIN}
    return {
        (one.scenario, one.host_class, one.stage): log(one.ratio)
        for one in moved
        if one.stage == CHAIN or (one.scenario, one.host_class) not in chains
    }
