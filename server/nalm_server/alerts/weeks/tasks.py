# SPDX-License-Identifier: Apache-2.0
"""Work.WEEKS: computes and stores the figures of weeks that changed."""

from __future__ import annotations

import structlog

from nalm_server.alerts.weeks import figures, week_repository
from nalm_server.alerts.weeks.models import WeekRow
from nalm_server.db.context import Context

EVERY_SECONDS = 30.0

log = structlog.get_logger()


def drain(context: Context) -> None:
    """The number of changes is read before what it counts, so what changes meanwhile is computed again."""
    with context.read_sessions() as session:
        waiting = week_repository.stale(session)
    for row in waiting:
        try:
            _compute(context, row)
        except Exception:
            log.exception("a week could not be computed", project_id=row.project_id, week=row.start)


def _compute(context: Context, row: WeekRow) -> None:
    with context.read_sessions() as session:
        found, parts = figures.compute(session, row, figures.commits(session, row))
    with context.sessions() as session:
        week_repository.store(session, row, found.model_dump(mode="json"), parts.model_dump(mode="json"))
        session.commit()
