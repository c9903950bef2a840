# SPDX-License-Identifier: Apache-2.0
"""SQL of feeds."""

from __future__ import annotations

from sqlalchemy import or_, select
from sqlalchemy.orm import Session, undefer

from nalm_server.feeds.models import FeedTokenRow
from nalm_server.history.models import ScenarioRow
from nalm_server.runs.models import RunRow, VerdictRow

FOUND = ("regressed", "improved", "broken")


def token_of(session: Session, project_id: int) -> FeedTokenRow | None:
    return session.get(FeedTokenRow, project_id)


def findings(session: Session, project_id: int, limit: int) -> list[tuple[RunRow, VerdictRow, str]]:
    """Runs that found a change, newest first, each with its scenario's name."""
    rows = session.execute(
        select(RunRow, VerdictRow, ScenarioRow.name)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(RunRow.project_id == project_id)
        .where(or_(VerdictRow.outcome.in_(FOUND), VerdictRow.display == "feature"))
        .order_by(RunRow.id.desc())
        .limit(limit)
        .options(undefer(VerdictRow.document))
    )
    return [(run, verdict, scenario) for run, verdict, scenario in rows]
