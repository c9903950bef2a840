# SPDX-License-Identifier: Apache-2.0
"""Explains a step of a history from the two runs on both sides of the change point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog
from nalm_core.explain import OneSide, explain_apart
from nalm_core.report.serialization import parse_report
from sqlalchemy.orm import Session

from nalm_server.changepoints import measured_line_repository as repository
from nalm_server.changepoints.points_repository import Point
from nalm_server.db.reports.store import ReportUnreadableError
from nalm_server.results import repository as runs
from nalm_server.results.series.entry import CHAIN

log = structlog.get_logger()


def explanation(session: Session, worse: Sequence[Point]) -> dict[str, Any] | None:
    """Explanation of the scenario whose cycles moved most, as stored with an alert; None: its runs do not
    explain it, or only metrics of runs under load moved."""
    if not worse:
        return None
    most = max(worse, key=lambda one: (one.stage == CHAIN, one.row.ratio))
    stages = [one for one in worse if _of(one) == _of(most) and one.stage != CHAIN]
    pays = max(stages, key=lambda one: one.row.chain_share or 0.0).stage if stages else None
    sides = _sides(session, most)
    if sides is None:
        return None
    stored = [runs.report(session, one) for one in sides]
    if any(one.expired_at is not None for one in stored):
        return None
    try:
        before, after = (OneSide(parse_report(one.json)) for one in stored)
    except ReportUnreadableError as error:
        log.warning("not explained", reason=error.message)
        return None
    found = explain_apart(before, after, pays)
    return None if found is None else found.model_dump(mode="json")


def _sides(session: Session, point: Point) -> tuple[int, int] | None:
    """Numbers of the nearest runs certainly of the old and of the new level, of one host if possible."""
    old = repository.runs_beside(session, point.row.series_id, point.low, later=False)
    new = repository.runs_beside(session, point.row.series_id, point.high, later=True)
    pairs = [(before, after) for after in new for before in old]
    found = min(pairs, key=lambda pair: pair[0].host != pair[1].host, default=None)
    return None if found is None else (found[0].run, found[1].run)


def _of(one: Point) -> tuple[str, str]:
    return one.scenario, one.host_class
