# SPDX-License-Identifier: Apache-2.0
"""SQL of the service's own metrics. Each query is one aggregate; results are kept a few seconds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobState
from nalm_server.notify.integrations.models import IntegrationRow
from nalm_server.notify.models import NotificationRow
from nalm_server.notify.schemas import NotificationState
from nalm_server.results.models import VerdictRow
from nalm_server.self_test.models import TrialRow
from nalm_server.webhooks.models import DeliveryRow

Column = InstrumentedAttribute[str]
Counts = dict[tuple[str, ...], int]


def _counted(session: Session, columns: Sequence[Column], *where: ColumnElement[bool]) -> Counts:
    rows = session.execute(select(*columns, func.count()).where(*where).group_by(*columns))
    return {tuple(str(one) for one in row[:-1]): int(row[-1]) for row in rows}


def jobs(session: Session) -> Counts:
    """By reason and state."""
    return _counted(session, (JobRow.reason, JobRow.state))


def repeated_attempts(session: Session) -> int:
    """Number of repeated leases of jobs, after a lost lease or a retry."""
    return session.scalar(select(func.sum(JobRow.attempts - 1)).where(JobRow.attempts > 1)) or 0


def longest_due(session: Session, now: datetime) -> datetime | None:
    """Since when a notification has been due; old if no worker runs."""
    query = select(func.min(NotificationRow.next_try_at)).where(
        NotificationRow.state == NotificationState.WAITING, NotificationRow.next_try_at <= now
    )
    return session.scalar(query)


def oldest_queued(session: Session) -> datetime | None:
    query = select(func.min(JobRow.created_at)).where(JobRow.state == JobState.QUEUED, JobRow.held.is_(None))
    return session.scalar(query)


def deliveries(session: Session) -> Counts:
    """By forge and status."""
    return _counted(session, (DeliveryRow.forge, DeliveryRow.status))


def verdicts(session: Session) -> Counts:
    """By outcome."""
    return _counted(session, (VerdictRow.outcome,))


def trials(session: Session) -> Counts:
    """By kind and outcome."""
    return _counted(session, (TrialRow.kind, TrialRow.outcome))


def notifications(session: Session) -> Counts:
    """By kind of integration and state."""
    rows = session.execute(
        select(IntegrationRow.kind, NotificationRow.state, func.count())
        .join(IntegrationRow, IntegrationRow.id == NotificationRow.integration_id)
        .group_by(IntegrationRow.kind, NotificationRow.state)
    )
    return {(kind, state): number for kind, state, number in rows}


def hosts_online(session: Session, now: datetime, within: timedelta) -> int:
    query = select(func.count()).select_from(HostRow).where(HostRow.last_seen_at >= now - within)
    return session.scalar(query) or 0
