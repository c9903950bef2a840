# SPDX-License-Identifier: Apache-2.0
"""The course of each project's cycles per packet, from the stored figures of its weeks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts.weeks import week_repository
from nalm_server.alerts.weeks.calendar import WEEK, name_of, start_of
from nalm_server.alerts.weeks.figures import WeekFigures
from nalm_server.projects.overview import repository
from nalm_server.projects.overview.schemas import Trend, TrendPoint

WEEKS = 13


def trends(session: Session, projects: Sequence[int], now: datetime) -> list[Trend]:
    """As stored: what arrived since the figures were last computed is not in them."""
    points: dict[int, list[TrendPoint]] = defaultdict(list)
    for row in week_repository.since(session, projects, start_of(now) - (WEEKS - 1) * WEEK):
        ratio = WeekFigures.model_validate(row.figures).overall.ratio
        if ratio is not None:
            of_project = points[row.project_id]
            before = of_project[-1].level if of_project else 1.0
            of_project.append(TrendPoint(week=name_of(row.start), level=before * ratio))
    names = repository.names(session, list(points))
    return [Trend(project=name, points=points[number]) for number, name in names]
