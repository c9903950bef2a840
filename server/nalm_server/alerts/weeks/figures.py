# SPDX-License-Identifier: Apache-2.0
"""Figures of a week: the stored ones while nothing changed, else computed from its runs."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.findings.overall_change import (
    OverallChange,
    Pair,
    ScenarioChange,
    overall_change,
    scenario_changes,
)
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


class WeekParts(Schema):
    """What the overall change of a week consists of."""

    commits: dict[int, OverallChange]
    """By id, those that were measured."""
    scenarios: list[ScenarioChange]
    """By name."""


def current(session: Session, row: WeekRow) -> WeekFigures:
    if row.figures is not None and row.computed == row.changes:
        return WeekFigures.model_validate(row.figures)
    rows = commits(session, row)
    return _of(rows, repository.pairs(session, _span(row)))


def with_parts(session: Session, row: WeekRow, rows: Sequence[CommitRow]) -> tuple[WeekFigures, WeekParts]:
    """rows: the week's commits."""
    if row.figures is not None and row.computed == row.changes and row.parts is not None:
        return WeekFigures.model_validate(row.figures), WeekParts.model_validate(row.parts)
    return compute(session, row, rows)


def compute(session: Session, row: WeekRow, rows: Sequence[CommitRow]) -> tuple[WeekFigures, WeekParts]:
    pairs = repository.pairs(session, _span(row))
    return _of(rows, pairs), WeekParts(
        commits={commit_id: overall_change(found) for commit_id, found in pairs.items()},
        scenarios=scenario_changes(_together(rows, pairs)),
    )


def commits(session: Session, row: WeekRow) -> list[CommitRow]:
    """Of the default branch, newest first."""
    return repository.commits(session, _span(row))


def _span(row: WeekRow) -> Span:
    return Span(row.project_id, row.start, row.start + WEEK)


def _of(rows: Sequence[CommitRow], pairs: dict[int, list[Pair]]) -> WeekFigures:
    """rows: newest first; pairs: by commit."""
    return WeekFigures(
        commits=len(rows),
        measured=sum(row.id in pairs for row in rows),
        overall=overall_change(_together(rows, pairs)),
    )


def _together(rows: Sequence[CommitRow], pairs: dict[int, list[Pair]]) -> list[Pair]:
    return [pair for row in rows for pair in pairs.get(row.id, [])]
