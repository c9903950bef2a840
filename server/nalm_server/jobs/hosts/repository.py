# SPDX-License-Identifier: Apache-2.0
"""SQL of hosts' health and fingerprints over time, and of pools."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import ceil
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.hosts.models import FingerprintRow, HealthRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobState


def list_hosts(session: Session, pool: str | None) -> list[HostRow]:
    query = select(HostRow).order_by(HostRow.name)
    return list(session.scalars(query if pool is None else query.where(HostRow.pool == pool)))


def newest_sample(session: Session, host_id: int) -> datetime | None:
    return session.scalar(
        select(HealthRow.at).where(HealthRow.host_id == host_id).order_by(HealthRow.at.desc()).limit(1)
    )


def add_sample(session: Session, row: HealthRow) -> None:
    session.add(row)


def forget_old_samples(session: Session, host_id: int, now: datetime) -> None:
    session.execute(delete(HealthRow).where(HealthRow.host_id == host_id, HealthRow.kept_until < now))


def samples(session: Session, host_id: int, since: datetime, limit: int) -> list[HealthRow]:
    """Oldest first; of more than `limit`, every n-th back from the newest."""
    of_host = (HealthRow.host_id == host_id, HealthRow.at >= since)
    count = session.scalar(select(func.count()).select_from(HealthRow).where(*of_host)) or 0
    place = func.row_number().over(order_by=HealthRow.at.desc()).label("place")
    placed = select(HealthRow.id, place).where(*of_host).subquery()
    kept = select(placed.c.id).where((placed.c.place - 1) % max(1, ceil(count / limit)) == 0)
    return list(session.scalars(select(HealthRow).where(HealthRow.id.in_(kept)).order_by(HealthRow.at)))


def newest_fingerprint(session: Session, host_id: int) -> FingerprintRow | None:
    return session.scalars(
        select(FingerprintRow)
        .where(FingerprintRow.host_id == host_id)
        .order_by(FingerprintRow.first_seen_at.desc(), FingerprintRow.id.desc())
        .limit(1)
    ).one_or_none()


def add_fingerprint(
    session: Session, host_id: int, digest: str, fingerprint: dict[str, Any], now: datetime
) -> None:
    session.add(
        FingerprintRow(
            host_id=host_id, digest=digest, fingerprint=fingerprint, first_seen_at=now, last_seen_at=now
        )
    )
    session.flush()


def fingerprints(session: Session, host_id: int, limit: int) -> list[FingerprintRow]:
    """Newest first."""
    return list(
        session.scalars(
            select(FingerprintRow)
            .where(FingerprintRow.host_id == host_id)
            .order_by(FingerprintRow.first_seen_at.desc(), FingerprintRow.id.desc())
            .limit(limit)
        )
    )


def projects_by_pool(session: Session) -> list[tuple[str, str]]:
    """(pool, project) of every project."""
    return [
        (pool, name)
        for pool, name in session.execute(select(ProjectRow.pool, ProjectRow.name).order_by(ProjectRow.name))
    ]


def queued_by_pool(session: Session) -> dict[str, int]:
    rows = session.execute(
        select(ProjectRow.pool, func.count())
        .join(JobRow, JobRow.project_id == ProjectRow.id)
        .where(JobRow.state == JobState.QUEUED)
        .group_by(ProjectRow.pool)
    )
    return {pool: number for pool, number in rows}  # noqa: C416 (dict() of rows is untyped)


def jobs_held(session: Session, hosts: Sequence[str], states: tuple[JobState, ...]) -> dict[str, int]:
    """By host: its newest job."""
    rows = session.execute(
        select(JobRow.host, func.max(JobRow.id))
        .where(JobRow.host.in_(hosts), JobRow.state.in_(states))
        .group_by(JobRow.host)
    )
    return {host: number for host, number in rows if host is not None}
