# SPDX-License-Identifier: Apache-2.0
"""Fixes an alert whose series are back at their level, though no pair shows which commit fixed it.

alerts.fixes matches what a measured pair undoes; a change point with such a commit belongs to the pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from math import exp, log

from nalm_core.changepoints.series_changes import is_large
from nalm_core.findings.confirmation import Ratio
from nalm_core.findings.fixes import restores
from nalm_core.findings.recovery import Recovery, computed, recovery_text
from nalm_core.report.defaults import MARGIN
from sqlalchemy.orm import Session

from nalm_server.alerts import lifecycle
from nalm_server.alerts import repository as alerts
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.states import ACTIVE
from nalm_server.alerts.suspicion import CHAIN
from nalm_server.changepoints import points_repository as points
from nalm_server.changepoints.points_repository import Point
from nalm_server.changepoints.schemas import PointState
from nalm_server.git.commits import repository as commit_rows

LAST_PLACE = 2**31 - 1
DECIDES = "cpp"

Level = tuple[str, str, str]
"""(scenario, host class, stage)."""


def look(session: Session, project_id: int, now: datetime) -> None:
    """Runs after the project's change points were weighed. If an improvement may undo several findings, the
    newest is fixed. The caller holds the project's lock."""
    found = alerts.with_commits(session, project_id)
    still_open = [(alert, culprit) for alert, culprit in found if _is_undecided(alert)]
    if not still_open:
        return
    first = min(culprit.position for _, culprit in still_open)
    after = points.between(session, project_id, (DECIDES,), first + 1, LAST_PLACE)
    better = [one for one in after if _is_better(one)]
    taken = {
        alert.id: commit_rows.get(session, alert.fixed_by_id).position
        for alert, _ in found
        if alert.fixed_by_id is not None
    }
    for alert, culprit in still_open:
        places = [place for number, place in taken.items() if number != alert.id]
        own = [one for one in better if one.low >= culprit.position and not _holds(one, places)]
        used = _undoing(session, alert, own)
        if used:
            _fix(session, alert, used, now)
            if alert.fixed_by_id is not None:
                taken[alert.id] = commit_rows.get(session, alert.fixed_by_id).position


def _is_undecided(alert: AlertRow) -> bool:
    """False for a partial fix that pairs measured: only pairs complete it."""
    measured = any(Recovery.model_validate(one).low is not None for one in alert.recovery or [])
    return alert.state in ACTIVE and not measured


def _fix(session: Session, alert: AlertRow, used: Mapping[Level, Sequence[Point]], now: datetime) -> None:
    """Of a scenario on several host classes, the one in which most remains counts."""
    lost = _lost(session, alert)
    by_scenario: dict[str, Recovery] = {}
    for level, own in used.items():
        fixes: list[tuple[str, Ratio | float]] = [
            (commit_rows.get(session, one.row.commit_id).sha, one.row.ratio)
            for one in sorted(own, key=lambda point: (point.place, point.row.id))
        ]
        found = computed(level[0], exp(lost[level]), fixes, MARGIN)
        known = by_scenario.get(found.scenario)
        if known is None or found.remains > known.remains:
            by_scenario[found.scenario] = found
    recovery = [by_scenario[name] for name in sorted(by_scenario)]
    last = max((one for own in used.values() for one in own), key=lambda one: (one.place, one.row.id))
    most = max(recovery, key=lambda one: one.remains)
    if most.complete:
        why = f"the history is back at its level: {recovery_text(most)}"
        lifecycle.fix(session, alert, last.row.commit_id, why, now, recovery=recovery)
    else:
        why = f"the history is back in part: {recovery_text(most)}"
        lifecycle.partly_fix(session, alert, last.row.commit_id, why, now, recovery=recovery)


def _is_better(one: Point) -> bool:
    return one.row.significant and one.row.ratio < 1 and is_large(one.row.ratio) and _is_reported(one)


def _is_reported(one: Point) -> bool:
    return one.row.state in (PointState.NEW, PointState.STANDING)


def _holds(one: Point, places: Iterable[int]) -> bool:
    return any(one.low < place <= one.high for place in places)


def _undoing(session: Session, alert: AlertRow, better: Sequence[Point]) -> dict[Level, list[Point]]:
    """The points that together take back the loss, by level, for every level; empty if they do not."""
    used: dict[Level, list[Point]] = {}
    for level, size in _lost(session, alert).items():
        own = [one for one in better if (one.scenario, one.host_class, one.stage) == level]
        if not restores(size, -sum(log(one.row.ratio) for one in own)):
            return {}
        used[level] = own
    return used


def _lost(session: Session, alert: AlertRow) -> dict[Level, float]:
    """By level of the chain, or of stages if only these moved: ln of the increase in cost."""
    moved = [
        (one, one.ratio)
        for one in alerts.moves(session, alert.id)
        if one.fate == Fate.ALERT
        and one.kind == "regression"
        and one.metric == DECIDES
        and one.ratio is not None
        and one.ratio > 1
    ]
    chains = {(one.scenario, one.host_class) for one, _ in moved if one.stage == CHAIN}
    return {
        (one.scenario, one.host_class, one.stage): log(ratio)
        for one, ratio in moved
        if one.stage == CHAIN or (one.scenario, one.host_class) not in chains
    }
