# SPDX-License-Identifier: Apache-2.0
"""Fixes an alert whose series are back at their level, though no pair shows which commit fixed it.

alerts.fixes matches what a measured pair undoes of cycles; a change point with such a commit belongs to the
pair. Own metrics that gate are only fixed here, or by a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import exp, log
from typing import Literal, NamedTuple

from nalm_core.changepoints.series_changes import is_large
from nalm_core.findings.confirmation import Ratio
from nalm_core.findings.fixes import restores
from nalm_core.findings.recovery import Recovery, computed, recovery_text
from nalm_core.report.catalogue import title_of
from sqlalchemy.orm import Session

from nalm_server.alerts import lifecycle
from nalm_server.alerts import repository as alerts
from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.alerts.own_metrics import beside_cycles
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.states import ACTIVE
from nalm_server.alerts.suspicion import CHAIN
from nalm_server.changepoints import points_repository as points
from nalm_server.changepoints.margins import margin_of
from nalm_server.changepoints.points_repository import Point
from nalm_server.changepoints.schemas import PointState
from nalm_server.git.commits import repository as commit_rows

LAST_PLACE = 2**31 - 1
DECIDES = "cpp"


class Level(NamedTuple):
    """A series."""

    scenario: str
    host_class: str
    stage: str
    metric: str


@dataclass(frozen=True, slots=True)
class Loss:
    """What the moves of an alert lost."""

    ratios: Mapping[Level, float]
    """Logarithm of the ratio for the worse, by level."""
    beside_histories: bool
    """A figure moved from or to 0, which no history shows."""


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
        loss = _lost(alerts.moves(session, alert.id))
        used = _undoing(loss.ratios, own)
        if used:
            _fix(session, alert, loss, used, now)
            if alert.fixed_by_id is not None:
                taken[alert.id] = commit_rows.get(session, alert.fixed_by_id).position


def _is_undecided(alert: AlertRow) -> bool:
    """False for a partial fix that pairs measured: only pairs complete it."""
    measured = any(Recovery.model_validate(one).low is not None for one in alert.recovery or [])
    return alert.state in ACTIVE and not measured


def _fix(
    session: Session, alert: AlertRow, loss: Loss, used: Mapping[Level, Sequence[Point]], now: datetime
) -> None:
    """Of a scenario with several series, the one in which most remains counts, in its own margin."""
    by_scenario: dict[str, Recovery] = {}
    for level, own in used.items():
        found = _recovery(session, level, loss.ratios[level], own)
        known = by_scenario.get(level.scenario)
        if known is None or _left(found) > _left(known):
            by_scenario[level.scenario] = found
    recovery = [by_scenario[name] for name in sorted(by_scenario)]
    last = max((one for own in used.values() for one in own), key=lambda one: (one.place, one.row.id))
    most = max(recovery, key=_left)
    if most.complete and loss.ratios.keys() == used.keys() and not loss.beside_histories:
        why = f"the history is back at its level: {recovery_text(most)}"
        lifecycle.fix(session, alert, last.row.commit_id, why, now, recovery=recovery)
    else:
        why = f"the history is back in part: {recovery_text(most)}"
        lifecycle.partly_fix(session, alert, last.row.commit_id, why, now, recovery=recovery)


def _recovery(session: Session, level: Level, lost: float, own: Sequence[Point]) -> Recovery:
    fixes: list[tuple[str, Ratio | float]] = [
        (commit_rows.get(session, one.row.commit_id).sha, exp(-_regained(one)))
        for one in sorted(own, key=lambda point: (point.place, point.row.id))
    ]
    found = computed(level.scenario, exp(lost), fixes, margin_of(level.metric, own[0].margin))
    if level.metric == DECIDES:
        return found
    figure = {"metric": level.metric, "title": title_of(level.metric), "better": _better(own[0])}
    return found.model_copy(update=figure)


def _left(one: Recovery) -> float:
    return one.remains / (1 + one.margin)


def _better(one: Point) -> Literal["lower", "higher"]:
    return "lower" if one.direction(0.5) == "better" else "higher"


def _regained(one: Point) -> float:
    """Logarithm of the ratio for the better."""
    return log(one.row.ratio) * (-1 if _better(one) == "lower" else 1)


def _is_better(one: Point) -> bool:
    large = is_large(one.row.ratio, margin_of(one.metric, one.margin))
    return one.row.significant and large and one.direction(one.row.ratio) == "better" and _is_reported(one)


def _is_reported(one: Point) -> bool:
    return one.row.state in (PointState.NEW, PointState.STANDING)


def _holds(one: Point, places: Iterable[int]) -> bool:
    return any(one.low < place <= one.high for place in places)


def _undoing(lost: Mapping[Level, float], better: Sequence[Point]) -> dict[Level, list[Point]]:
    """The points that together take back the loss, by level: of CPP for every level or none."""
    used: dict[Level, list[Point]] = {}
    for level, size in lost.items():
        own = [one for one in better if _level(one) == level]
        if restores(size, sum(_regained(one) for one in own)):
            used[level] = own
    if any(level.metric == DECIDES and level not in used for level in lost):
        return {level: own for level, own in used.items() if level.metric != DECIDES}
    return used


def _level(one: Point | AlertMoveRow) -> Level:
    return Level(one.scenario, one.host_class, one.stage, one.metric)


def _lost(moves: Sequence[AlertMoveRow]) -> Loss:
    """Of CPP: the chain's, or those of stages if only these moved. Of own metrics that gate: all."""
    worse = [one for one in moves if one.fate == Fate.ALERT and one.kind == "regression"]
    cycles = [(one, log(one.ratio)) for one in worse if one.metric == DECIDES and one.ratio and one.ratio > 1]
    chains = {(one.scenario, one.host_class) for one, _ in cycles if one.stage == CHAIN}
    found = {
        _level(one): size
        for one, size in cycles
        if one.stage == CHAIN or (one.scenario, one.host_class) not in chains
    }
    own = [one for one in beside_cycles(moves) if one.metric != DECIDES]
    shown = [(one, one.ratio) for one in own if one.ratio and one.ratio > 0]
    found |= {_level(one): abs(log(ratio)) for one, ratio in shown}
    return Loss(found, beside_histories=len(shown) < len(own))
