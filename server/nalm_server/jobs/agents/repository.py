# SPDX-License-Identifier: Apache-2.0
"""SQL of hosts."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.hosts.recording import record_fingerprint
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN

SEEN_WITHIN = timedelta(minutes=2)


def without_configuration() -> ColumnElement[bool]:
    """A condition on jobs: their projects have no configuration on the server."""
    with_one = select(ProjectRow.id).where(ProjectRow.configuration.is_not(None))
    return JobRow.project_id.not_in(with_one)


def has_configuration(session: Session, job: JobRow) -> bool:
    """True if the job's project has a configuration on the server."""
    query = select(ProjectRow.id).where(
        ProjectRow.id == job.project_id, ProjectRow.configuration.is_not(None)
    )
    return session.scalars(query).first() is not None


def _get(session: Session, name: str, host_class: str, now: datetime) -> HostRow:
    query = select(HostRow).where(HostRow.name == name)
    found = session.scalars(query).one_or_none()
    if found is not None:
        return found
    try:
        with session.begin_nested():
            row = HostRow(name=name, host_class=host_class, first_seen_at=now)
            session.add(row)
    except IntegrityError:  # a concurrent request inserted it
        return session.scalars(query).one()
    return row


def seen(session: Session, name: str, host_class: str, now: datetime) -> HostRow:
    """Records a request for work, perhaps the host's first."""
    row = _get(session, name, host_class, now)
    row.host_class = host_class
    row.last_seen_at = now
    return row


def described(session: Session, row: HostRow, fingerprint: dict[str, Any], now: datetime) -> None:
    """Records the host as in its newest report."""
    row.host_class = fingerprint["host_class"]
    row.fingerprint = fingerprint
    session.flush()
    record_fingerprint(session, row, fingerprint, now)


def named(session: Session, name: str, host_class: str, now: datetime) -> HostRow:
    """The host by name alone, for reports that others upload."""
    return _get(session, name, host_class, now)


def count_online(session: Session, now: datetime) -> int:
    return (
        session.scalar(
            select(func.count()).select_from(HostRow).where(HostRow.last_seen_at > now - SEEN_WITHIN)
        )
        or 0
    )


def find(session: Session, name: str) -> HostRow | None:
    return session.scalars(select(HostRow).where(HostRow.name == name)).one_or_none()


def hosts_of_pools(session: Session, pools: Collection[str]) -> list[HostRow]:
    """By name, without revoked ones."""
    query = select(HostRow).where(HostRow.pool.in_(pools), HostRow.revoked_at.is_(None))
    return list(session.scalars(query.order_by(HostRow.name)))


def in_pool(pool: str) -> ColumnElement[bool]:
    """A condition on jobs: the project belongs to the pool."""
    return JobRow.project_id.in_(select(ProjectRow.id).where(ProjectRow.pool == pool))


def pool_of(session: Session, job: JobRow) -> str:
    return session.scalars(select(ProjectRow.pool).where(ProjectRow.id == job.project_id)).one()


def open_needs(session: Session) -> list[str]:
    """The distinct needs of open jobs, as text."""
    query = select(JobRow.needs).where(JobRow.needs.is_not(None), JobRow.state.in_(OPEN)).distinct()
    return [text for text in session.scalars(query) if text]


def get(session: Session, host_id: int) -> HostRow:
    return session.get_one(HostRow, host_id)


def find_by_id(session: Session, host_id: int) -> HostRow | None:
    return session.get(HostRow, host_id)
