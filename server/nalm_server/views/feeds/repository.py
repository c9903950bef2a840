# SPDX-License-Identifier: Apache-2.0
"""SQL of feeds."""

from __future__ import annotations

from nalm_core.report.outcome import ALARMING
from sqlalchemy import ColumnElement, and_, exists, func, select
from sqlalchemy.orm import Session, aliased, undefer

from nalm_server.alerts.models import AlertMoveRow, AlertRow, AlertStateRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.results.commit_runs_repository import about_commit
from nalm_server.results.models import NOTEWORTHY, RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow
from nalm_server.views.feeds.models import FeedTokenRow


def token_of(session: Session, project_id: int) -> FeedTokenRow | None:
    return session.get(FeedTokenRow, project_id)


def findings(session: Session, project_id: int, limit: int) -> list[tuple[RunRow, VerdictRow, str]]:
    """Runs made for their commit with a change that no alert has, newest first, each with its scenario's
    name."""
    rows = session.execute(
        select(RunRow, VerdictRow, ScenarioRow.name)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(RunRow.project_id == project_id)
        .where(NOTEWORTHY, about_commit(), ~_in_an_alert())
        .order_by(RunRow.id.desc())
        .limit(limit)
        .options(undefer(VerdictRow.document))
    )
    return [(run, verdict, scenario) for run, verdict, scenario in rows]


def _in_an_alert() -> ColumnElement[bool]:
    """A condition: its commit, or the commit that it fixes, has an alert."""
    culprit = aliased(CommitRow)
    return and_(
        VerdictRow.outcome.in_(ALARMING),
        exists()
        .where(AlertMoveRow.project_id == RunRow.project_id, AlertMoveRow.commit_id == culprit.id)
        .where(culprit.project_id == RunRow.project_id)
        .where(culprit.sha == func.coalesce(VerdictRow.fixes_sha, RunRow.head_sha)),
    )


def reported_steps(
    session: Session, project_id: int, limit: int
) -> list[tuple[AlertStateRow, AlertRow, CommitRow]]:
    """Steps of alerts that were sent, newest first, each with its culprit."""
    rows = session.execute(
        select(AlertStateRow, AlertRow, CommitRow)
        .join(AlertRow, AlertRow.id == AlertStateRow.alert_id)
        .join(CommitRow, CommitRow.id == AlertRow.commit_id)
        .where(AlertRow.project_id == project_id, AlertStateRow.notified)
        .order_by(AlertStateRow.id.desc())
        .limit(limit)
    )
    return [(step, alert, commit) for step, alert, commit in rows]


def add_token(session: Session, row: FeedTokenRow) -> None:
    session.add(row)
