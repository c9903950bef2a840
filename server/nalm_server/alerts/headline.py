# SPDX-License-Identifier: Apache-2.0
"""The headline of an alert, from all that moved."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.findings.severity import BROKEN_SIZE, magnitude_of, severity_of
from sqlalchemy.orm import Session

from nalm_server.alerts import repository
from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.suspicion import CHAIN


def refresh(session: Session, alert: AlertRow) -> None:
    """Updates scenarios, the one that moved most with its figures, and the severity."""
    moves = repository.moves(session, alert.id)
    heard = [one for one in moves if one.fate == Fate.ALERT] or moves
    shown = {
        scenario: leading([one for one in heard if one.scenario == scenario])
        for scenario in sorted({one.scenario for one in heard})
    }
    alert.scenarios = list(shown)
    alert.kind = "broken" if any(one.kind == "broken" for one in heard) else "regression"
    alert.severity = severity_of({scenario: size(one) for scenario, one in shown.items()})
    if shown:
        most = max(shown.values(), key=size)
        alert.scenario, alert.metric = most.scenario, most.metric
        alert.ratio, alert.low, alert.high = most.ratio, most.low, most.high
        alert.stage = _stage([one for one in heard if one.scenario == most.scenario])
    session.flush()


def size(move: AlertMoveRow) -> float:
    """A move is always for the worse, whichever direction its metric has."""
    return BROKEN_SIZE if move.kind == "broken" else magnitude_of(move.ratio)


def leading(moves: Sequence[AlertMoveRow]) -> AlertMoveRow:
    """The move to show: of cycles before another metric's, the chain's before a stage's, a pair's before a
    history's, the larger one."""
    return max(
        moves,
        key=lambda one: (one.metric == "cpp", one.stage == CHAIN, one.source == "pair", size(one)),
    )


def _stage(moves: Sequence[AlertMoveRow]) -> str:
    stages = [one for one in moves if one.stage != CHAIN]
    return max(stages, key=lambda one: (one.source == "pair", size(one))).stage if stages else CHAIN
