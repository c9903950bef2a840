# SPDX-License-Identifier: Apache-2.0
"""SQL of projects."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from nalm_server.access.repository import readable
from nalm_server.commits.models import CommitRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN
from nalm_server.projects.models import ProjectRow
from nalm_server.runs.models import RunRow
from nalm_server.tokens.principal import Principal


def list_readable(session: Session, caller: Principal) -> list[ProjectRow]:
    return list(session.scalars(select(ProjectRow).where(readable(caller)).order_by(ProjectRow.name)))


def list_all(session: Session) -> list[ProjectRow]:
    return list(session.scalars(select(ProjectRow).order_by(ProjectRow.name)))


def find(session: Session, name: str) -> ProjectRow | None:
    return session.scalars(select(ProjectRow).where(ProjectRow.name == name)).one_or_none()


def get(session: Session, project_id: int) -> ProjectRow:
    return session.get_one(ProjectRow, project_id)


def name_of(session: Session, project_id: int) -> str:
    return session.scalars(select(ProjectRow.name).where(ProjectRow.id == project_id)).one()


def lock(session: Session, project_id: int) -> ProjectRow:
    """The row, held until the commit: writers of one project queue (on SQLite they do anyway)."""
    return session.scalars(select(ProjectRow).where(ProjectRow.id == project_id).with_for_update()).one()


def add(session: Session, row: ProjectRow) -> ProjectRow:
    session.add(row)
    session.flush()
    return row


def count_commits(session: Session, project_ids: Sequence[int]) -> dict[int, int]:
    found = session.execute(
        select(CommitRow.project_id, func.count())
        .where(CommitRow.project_id.in_(project_ids), CommitRow.listed)
        .group_by(CommitRow.project_id)
    )
    return {project_id: number for project_id, number in found}  # noqa: C416 (dict() of rows is untyped)


def count_open_jobs(session: Session, project_ids: Sequence[int]) -> dict[int, int]:
    found = session.execute(
        select(JobRow.project_id, func.count())
        .where(JobRow.project_id.in_(project_ids), JobRow.state.in_(OPEN))
        .group_by(JobRow.project_id)
    )
    return {project_id: number for project_id, number in found}  # noqa: C416 (dict() of rows is untyped)


def last_activity(session: Session, project_ids: Sequence[int]) -> dict[int, datetime]:
    """When a job last moved or a report last came in."""
    moments: dict[int, datetime] = {}
    for column, of_project in (
        (JobRow.updated_at, JobRow.project_id),
        (RunRow.received_at, RunRow.project_id),
    ):
        newest = (
            select(func.max(column))
            .where(of_project == ProjectRow.id)
            .correlate(ProjectRow)
            .scalar_subquery()
        )
        for key, at in session.execute(select(ProjectRow.id, newest).where(ProjectRow.id.in_(project_ids))):
            if at is not None:
                moments[key] = max(at, moments.get(key, at))
    return moments
