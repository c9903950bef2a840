# SPDX-License-Identifier: Apache-2.0
"""SQL of jobs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, and_, func, or_, select, true, update
from sqlalchemy.orm import Session

from nalm_server.commits.models import CommitRow
from nalm_server.jobs.models import JobRow, TransitionRow
from nalm_server.jobs.schemas import HELD, OPEN, JobState
from nalm_server.projects.models import ProjectRow

_ANY = true()


def add(session: Session, row: JobRow) -> JobRow:
    session.add(row)
    session.flush()
    return row


def add_transition(session: Session, job_id: int, state: JobState, at: datetime, reason: str) -> None:
    session.add(TransitionRow(job_id=job_id, state=state, at=at, reason=reason))


def find(session: Session, job_id: int) -> JobRow | None:
    return session.get(JobRow, job_id)


def lock(session: Session, job_id: int) -> JobRow | None:
    """The row as it is now, held until the commit."""
    return session.scalars(
        select(JobRow).where(JobRow.id == job_id).with_for_update().execution_options(populate_existing=True)
    ).one_or_none()


def find_for_commit(session: Session, commit_id: int, base_sha: str, reason: str) -> JobRow | None:
    return session.scalars(
        select(JobRow).where(
            JobRow.commit_id == commit_id, JobRow.base_sha == base_sha, JobRow.reason == reason
        )
    ).one_or_none()


def newest_by_commit(session: Session, commit_ids: Sequence[int]) -> dict[int, JobRow]:
    rows = session.scalars(select(JobRow).where(JobRow.commit_id.in_(commit_ids)).order_by(JobRow.id))
    return {row.commit_id: row for row in rows}


def list_jobs(
    session: Session, project_id: int | None, states: Sequence[JobState] | None, limit: int
) -> list[tuple[JobRow, str]]:
    """Newest first, each with its project's name."""
    query = select(JobRow, ProjectRow.name).join(ProjectRow, ProjectRow.id == JobRow.project_id)
    if project_id is not None:
        query = query.where(JobRow.project_id == project_id)
    if states:
        query = query.where(JobRow.state.in_(states))
    return [(row, name) for row, name in session.execute(query.order_by(JobRow.id.desc()).limit(limit))]


def transitions(session: Session, job_id: int) -> list[TransitionRow]:
    return list(
        session.scalars(
            select(TransitionRow).where(TransitionRow.job_id == job_id).order_by(TransitionRow.id)
        )
    )


def count_open(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(JobRow).where(JobRow.state.in_(OPEN))) or 0


def _free(now: datetime) -> ColumnElement[bool]:
    """Queued, or held by an agent that has been silent for longer than its lease."""
    return or_(
        JobRow.state == JobState.QUEUED,
        and_(JobRow.state.in_(HELD), JobRow.lease_until < now),
    )


def next_free(session: Session, now: datetime, fits: ColumnElement[bool] = _ANY) -> JobRow | None:
    """Of the project whose work waits longest, the commit that comes first along the first parent.

    fits: which jobs the asking host may have at all (agents.matching)."""
    project_id = session.scalar(
        select(JobRow.project_id).where(_free(now), fits).order_by(JobRow.created_at, JobRow.id).limit(1)
    )
    if project_id is None:
        return None
    return session.scalars(
        select(JobRow)
        .join(CommitRow, CommitRow.id == JobRow.commit_id)
        .where(_free(now), fits, JobRow.project_id == project_id)
        .order_by(CommitRow.position, JobRow.id)
        .limit(1)
        .execution_options(populate_existing=True)
    ).one_or_none()


def take(session: Session, job: JobRow, host: str, now: datetime, until: datetime) -> bool:
    """Leases the job unless somebody did since it was read: one of two agents finds the fence moved."""
    taken = session.execute(
        update(JobRow)
        .where(JobRow.id == job.id, JobRow.fence == job.fence, _free(now))
        .values(
            state=JobState.LEASED,
            fence=JobRow.fence + 1,
            attempts=JobRow.attempts + 1,
            lease_until=until,
            host=host,
            step=None,
            detail=None,
            fraction=None,
            updated_at=now,
        )
        .returning(JobRow.id)
        .execution_options(synchronize_session=False)
    )
    return taken.first() is not None
