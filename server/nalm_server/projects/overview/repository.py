# SPDX-License-Identifier: Apache-2.0
"""SQL of the overview: a fixed number of queries, however many projects there are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from nalm_server.alerts.models import AlertRow, AlertStateRow
from nalm_server.alerts.states import OPEN
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobState
from nalm_server.results.models import RunRow, VerdictRow


def open_alerts(session: Session, projects: Sequence[int]) -> int:
    """Without muted ones."""
    visible = AlertRow.state.in_(OPEN) & AlertRow.muted.is_(False)
    return session.scalars(select(func.count()).where(AlertRow.project_id.in_(projects), visible)).one()


def _newest_steps(projects: Sequence[int], since: datetime) -> Select[int]:
    """The number of each alert's newest step."""
    return (
        select(func.max(AlertStateRow.id))
        .join(AlertRow, AlertRow.id == AlertStateRow.alert_id)
        .where(AlertRow.project_id.in_(projects), AlertStateRow.at >= since)
        .group_by(AlertStateRow.alert_id)
    )


def steps(session: Session, projects: Sequence[int], since: datetime, limit: int) -> list[AlertStateRow]:
    """The newest of each alert, newest first."""
    newest = AlertStateRow.id.in_(_newest_steps(projects, since))
    return list(
        session.scalars(select(AlertStateRow).where(newest).order_by(AlertStateRow.id.desc()).limit(limit))
    )


def changed(session: Session, projects: Sequence[int], since: datetime) -> int:
    found = _newest_steps(projects, since).subquery()
    return session.scalars(select(func.count()).select_from(found)).one()


def judged(session: Session, projects: Sequence[int], since: datetime) -> list[tuple[str, str, int]]:
    """(project, display, runs), without confirmations on other hosts."""
    query = (
        select(ProjectRow.name, VerdictRow.display, func.count())
        .join(RunRow, RunRow.project_id == ProjectRow.id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(ProjectRow.id.in_(projects), RunRow.received_at >= since, RunRow.beside.is_(False))
        .group_by(ProjectRow.name, VerdictRow.display)
        .order_by(ProjectRow.name, VerdictRow.display)
    )
    return [(name, display, runs) for name, display, runs in session.execute(query)]


def jobs_waiting(session: Session, projects: Sequence[int]) -> int:
    queued = JobRow.state == JobState.QUEUED
    return session.scalars(select(func.count()).where(JobRow.project_id.in_(projects), queued)).one()


def names(session: Session, projects: Sequence[int]) -> list[tuple[int, str]]:
    """(project, name), by name."""
    query = select(ProjectRow.id, ProjectRow.name).where(ProjectRow.id.in_(projects))
    return [(number, name) for number, name in session.execute(query.order_by(ProjectRow.name))]
