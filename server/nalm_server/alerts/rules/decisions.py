# SPDX-License-Identifier: Apache-2.0
"""The fate of each series that moved: alert, muted, expected, or below the noise floor."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fnmatch import fnmatchcase

from nalm_core.findings.noise_floor import floor_left
from nalm_core.findings.severity import magnitude_of, size_of
from nalm_core.report.defaults import MARGIN
from sqlalchemy.orm import Session

from nalm_server.alerts.rules import rule_repository
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.rules.models import ExpectationRow, FloorRow
from nalm_server.alerts.suspicion import CHAIN, Moved, Suspicion
from nalm_server.results.series.metrics import better_of

EXPLAINING = {"cpp": ("cpp", "ipp", "eipc")}
"""Metrics to which an expectation applies: instructions and pipeline use only explain cycles."""


def fates(
    session: Session, suspicion: Suspicion, declared: Sequence[ExpectationRow], now: datetime
) -> list[Fate]:
    """One fate for each move, in order. declared: expectations of the commits."""
    if suspicion.kind == "broken":
        return [_heard(session, suspicion.project_id, one, now) for one in suspicion.moved]
    found = [_fate(session, suspicion, moved, declared, now) for moved in suspicion.moved]
    quiet = {
        _chain(moved)
        for moved, fate in zip(suspicion.moved, found, strict=True)
        if fate is Fate.BELOW_FLOOR and moved.stage == CHAIN
    }
    return [
        Fate.BELOW_FLOOR if _chain(moved) in quiet else fate
        for moved, fate in zip(suspicion.moved, found, strict=True)
    ]


def _chain(moved: Moved) -> tuple[str, str, str]:
    """Stages only explain the change of their chain: if that is noise, they are no finding."""
    return moved.scenario, moved.host_class, moved.metric


def covering(
    session: Session, declared: Sequence[ExpectationRow], scenario: str, metric: str
) -> ExpectationRow | None:
    """The expectation with the largest bound for this metric of this scenario."""
    fitting = [
        one
        for one in declared
        if metric in EXPLAINING.get(one.metric, (one.metric,)) and fnmatchcase(scenario, one.scenario)
    ]
    return max(fitting, key=lambda one: _size(session, one, one.bound), default=None)


def within(session: Session, expected: ExpectationRow, moved: Sequence[Moved], scenario: str) -> bool:
    """A bound is the chain's: stages and explaining metrics are judged with the chain of their scenario."""
    return all(
        _size(session, expected, one.ratio) <= _size(session, expected, expected.bound)
        for one in moved
        if one.scenario == scenario and one.metric == expected.metric and one.stage == CHAIN
    )


def _size(session: Session, expected: ExpectationRow, ratio: float | None) -> float:
    return size_of(better_of(session, expected.project_id, expected.metric), ratio)


def _fate(
    session: Session,
    suspicion: Suspicion,
    moved: Moved,
    declared: Sequence[ExpectationRow],
    now: datetime,
) -> Fate:
    expected = covering(session, declared, moved.scenario, moved.metric)
    if expected is not None and within(session, expected, suspicion.moved, moved.scenario):
        return Fate.EXPECTED
    known = rule_repository.floor(
        session,
        suspicion.project_id,
        scenario=moved.scenario,
        host_class=moved.host_class,
        stage=moved.stage,
        metric=moved.metric,
    )
    if known is not None and magnitude_of(moved.ratio) <= left_of(known, now):
        return Fate.BELOW_FLOOR
    return _heard(session, suspicion.project_id, moved, now)


def left_of(floor: FloorRow, now: datetime) -> float:
    """Present value of the floor, as |ln ratio|."""
    return floor_left(floor.size, (now - floor.set_at).total_seconds() / 86_400, MARGIN)


def _heard(session: Session, project_id: int, moved: Moved, now: datetime) -> Fate:
    return Fate.MUTED if is_muted(session, project_id, moved.scenario, now) else Fate.ALERT


def is_muted(session: Session, project_id: int, scenario: str, now: datetime) -> bool:
    return any(
        fnmatchcase(scenario, mute.scenario) for mute in rule_repository.mutes(session, project_id, now)
    )
