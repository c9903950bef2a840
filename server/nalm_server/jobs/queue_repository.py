# SPDX-License-Identifier: Apache-2.0
"""SQL of the queue: which job is next.

Each query is a few index probes per project, however many jobs there are: `ix_jobs_waiting` has only jobs
that wait for a host.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    Subquery,
    and_,
    exists,
    func,
    literal_column,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.orm import Session, aliased

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.db.claims import locked, over
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import HELD

QUEUED: ColumnElement[str] = literal_column("'queued'")
"""A literal, not a parameter, so that PostgreSQL can use the partial index."""
LONGEST_PAUSE = timedelta(minutes=20)
"""Longest time for which a failed job is not retried, or not on the same host."""
WINDOW = 500
"""Number of a project's oldest waiting jobs of one priority that are sorted by commit."""


@dataclass(frozen=True)
class Asker:
    """A host that requests work. fits: a condition on jobs that it may take at all (agents.matching)."""

    host: str
    fits: ColumnElement[bool] = field(default_factory=true)
    left_to_it: Sequence[int] = ()
    """Jobs that it gave up, and that no other host could take (agents.matching)."""


@dataclass(frozen=True)
class Turn:
    """A project with work for the asker, and the priority of its most urgent job."""

    project_id: int
    priority: int


def _waiting(asker: Asker, now: datetime) -> ColumnElement[bool]:
    """A condition: the job may be leased to this host now."""
    others_first = or_(
        JobRow.avoid_host.is_(None),
        JobRow.avoid_host != asker.host,
        over(JobRow.avoid_until, now, LONGEST_PAUSE),
    )
    return and_(_allowed(asker, now), others_first)


def _allowed(asker: Asker, now: datetime) -> ColumnElement[bool]:
    """As _waiting, also for jobs that the host gave up."""
    return and_(
        JobRow.state == QUEUED,
        JobRow.held.is_(None),
        _may_be_tried(now),
        or_(JobRow.only_host.is_(None), JobRow.only_host == asker.host),
        or_(JobRow.not_host.is_(None), JobRow.not_host != asker.host),
        asker.fits,
    )


def turns(session: Session, asker: Asker, now: datetime, limit: int) -> list[Turn]:
    """Projects in the order of their turn: most urgent first, then fewest jobs in progress, then the one
    whose last lease is oldest."""
    project = aliased(ProjectRow, name="turn")
    best = (
        select(JobRow.priority)
        .where(_waiting(asker, now), JobRow.project_id == project.id)
        .order_by(JobRow.project_id, JobRow.priority, JobRow.id)
        .limit(1)
        .correlate(project)
        .scalar_subquery()
    )
    running = _of(project, func.count(), JobRow.state.in_(HELD))
    served = _of(project, func.max(JobRow.leased_at))
    figures = (best.label("best"), running.label("running"), served.label("served"))
    offers = select(project.id, *figures).subquery()
    found = session.execute(
        select(offers.c.id, offers.c.best)
        .where(offers.c.best.is_not(None))
        .order_by(offers.c.best, offers.c.running, offers.c.served.asc().nulls_first(), offers.c.id)
        .limit(limit)
    )
    return [Turn(project_id, priority) for project_id, priority in found]


def _of(
    project: type[ProjectRow], figure: ColumnElement[Any], *conditions: ColumnElement[bool]
) -> ScalarSelect[Any]:
    """An aggregate of all of a project's jobs."""
    of_project = select(figure).where(JobRow.project_id == project.id, *conditions)
    return of_project.select_from(JobRow).correlate(project).scalar_subquery()


def first(session: Session, asker: Asker, turn: Turn, now: datetime) -> JobRow | None:
    """The turn's job, parents before children, locked until the commit. Skips a job that another asker is
    leasing."""
    oldest = (
        select(JobRow.id)
        .where(
            _waiting(asker, now),
            JobRow.project_id == turn.project_id,
            JobRow.priority == turn.priority,
        )
        .order_by(JobRow.id)
        .limit(WINDOW)
        .correlate(None)
    )
    in_order = (
        select(JobRow)
        .join(CommitRow, CommitRow.id == JobRow.commit_id)
        .where(JobRow.id.in_(oldest), JobRow.state == QUEUED, JobRow.held.is_(None))
        .order_by(CommitRow.position, JobRow.id)
        .limit(1)
    )
    return session.scalars(locked(in_order, wait=False, of=JobRow)).one_or_none()


def given_up(session: Session, asker: Asker, now: datetime, limit: int) -> Sequence[JobRow]:
    """Jobs that the host gave up a short while ago: other hosts have precedence."""
    mine = and_(_allowed(asker, now), JobRow.avoid_host == asker.host)
    return session.scalars(select(JobRow).where(mine).order_by(JobRow.priority, JobRow.id).limit(limit)).all()


def first_left(session: Session, asker: Asker, now: datetime) -> JobRow | None:
    """The first of the jobs that are left to the host, locked until the commit."""
    in_order = (
        select(JobRow)
        .where(JobRow.id.in_(asker.left_to_it), _allowed(asker, now))
        .order_by(JobRow.priority, JobRow.id)
        .limit(1)
    )
    return session.scalars(locked(in_order, wait=False)).one_or_none()


def _may_be_tried(now: datetime) -> ColumnElement[bool]:
    return or_(JobRow.not_before.is_(None), over(JobRow.not_before, now, LONGEST_PAUSE))


def anything(session: Session, asker: Asker, now: datetime, lease: timedelta) -> bool:
    """True if there may be work: a waiting job, or an expired lease. `lease`: the longest."""
    waits = exists().where(_waiting(asker, now))
    lost = exists().where(_silent(now, lease))
    return bool(session.scalar(select(or_(waits, lost))))


def _silent(now: datetime, lease: timedelta) -> ColumnElement[bool]:
    return and_(JobRow.state.in_(HELD), over(JobRow.lease_until, now, lease))


def lost(session: Session, now: datetime, lease: timedelta, limit: int) -> list[JobRow]:
    """Jobs with expired leases, locked until the commit. `lease`: the longest
    possible."""
    silent = select(JobRow).where(_silent(now, lease)).order_by(JobRow.lease_until, JobRow.id).limit(limit)
    return list(session.scalars(locked(silent, wait=False)))


def places(session: Session, job_ids: Sequence[int]) -> dict[int, int]:
    """Place of each of these jobs that waits for a host; 1 is the first."""
    ranked = ranks()
    found = session.execute(select(ranked.c.id, ranked.c.place).where(ranked.c.id.in_(job_ids)))
    return {one.id: one.place for one in found}


def ranks() -> Subquery:
    """All jobs that wait for a host, each with its place. Ahead of it are more urgent jobs of its pool, and
    in its own project those of the same priority with an earlier commit."""
    urgent = func.rank().over(partition_by=ProjectRow.pool, order_by=JobRow.priority)
    own = func.row_number().over(
        partition_by=(JobRow.project_id, JobRow.priority), order_by=(CommitRow.position, JobRow.id)
    )
    return (
        select(JobRow.id, (urgent + own - 1).label("place"))
        .join(CommitRow, CommitRow.id == JobRow.commit_id)
        .join(ProjectRow, ProjectRow.id == JobRow.project_id)
        .where(JobRow.state == QUEUED, JobRow.held.is_(None))
        .subquery("ranks")
    )


def raise_waiting(session: Session, before: datetime, now: datetime, best: int) -> int:
    """Raises the priority by one, down to `best`, of jobs that wait since `before`. Returns their number."""
    raised = session.execute(
        update(JobRow)
        .where(
            JobRow.state == QUEUED,
            JobRow.held.is_(None),
            JobRow.priority > best,
            func.coalesce(JobRow.raised_at, JobRow.created_at) < before,
        )
        .values(priority=JobRow.priority - 1, raised_at=now)
        .returning(JobRow.id)
        .execution_options(synchronize_session=False)
    )
    return len(raised.all())


def waiting_pools(session: Session, now: datetime) -> Sequence[str]:
    """Pools with a job that may be leased."""
    return session.scalars(
        select(ProjectRow.pool)
        .join(JobRow, JobRow.project_id == ProjectRow.id)
        .where(
            JobRow.state == QUEUED,
            JobRow.held.is_(None),
            _may_be_tried(now),
        )
        .distinct()
    ).all()
