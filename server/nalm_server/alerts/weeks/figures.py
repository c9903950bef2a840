# SPDX-License-Identifier: Apache-2.0
"""Figures of a week: the stored ones while nothing changed, else computed from its runs."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.findings.overall_change import OverallChange, Pair, overall_change
from sqlalchemy.orm import Session

from nalm_server.alerts.weeks import repository
from nalm_server.alerts.weeks.calendar import WEEK
from nalm_server.alerts.weeks.models import WeekRow
from nalm_server.alerts.weeks.repository import Span
from nalm_server.base.schemas import Schema
from nalm_server.git.commits.models import CommitRow


class WeekFigures(Schema):
    commits: int
    """Commits of the default branch."""
    measured: int
    """Those with a pair that enters `overall`."""
    overall: OverallChange


def current(session: Session, row: WeekRow) -> WeekFigures:
    if row.figures is not None and row.computed == row.changes:
        return WeekFigures.model_validate(row.figures)
    return compute(session, row)


def compute(session: Session, row: WeekRow) -> WeekFigures:
    span = Span(row.project_id, row.start, row.start + WEEK)
    rows = repository.commits(session, span)
    return of(rows, repository.pairs(session, span))


def of(rows: Sequence[CommitRow], pairs: dict[int, list[Pair]]) -> WeekFigures:
    """rows: newest first; pairs: by commit."""
    return WeekFigures(
        commits=len(rows),
        measured=sum(row.id in pairs for row in rows),
        overall=overall_change(together(rows, pairs)),
    )


def together(rows: Sequence[CommitRow], pairs: dict[int, list[Pair]]) -> list[Pair]:
    return [pair for row in rows for pair in pairs.get(row.id, [])]
