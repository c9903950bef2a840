# SPDX-License-Identifier: Apache-2.0
"""SQL of hosts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from nalm_server.agents.models import HostRow

SEEN_WITHIN = timedelta(minutes=2)


def _get(session: Session, name: str, host_class: str, now: datetime) -> HostRow:
    query = select(HostRow).where(HostRow.name == name)
    found = session.scalars(query).one_or_none()
    if found is not None:
        return found
    try:
        with session.begin_nested():
            row = HostRow(name=name, host_class=host_class, first_seen_at=now)
            session.add(row)
    except IntegrityError:  # another request was first
        return session.scalars(query).one()
    return row


def seen(session: Session, name: str, host_class: str, now: datetime) -> None:
    """The host asks for work."""
    row = _get(session, name, host_class, now)
    row.host_class = host_class
    row.last_seen_at = now


def described(
    session: Session, name: str, host_class: str, fingerprint: dict[str, Any], now: datetime
) -> HostRow:
    """The host as its newest report has it."""
    row = _get(session, name, host_class, now)
    row.host_class = host_class
    row.fingerprint = fingerprint
    session.flush()
    return row


def count_seen(session: Session, now: datetime) -> int:
    return (
        session.scalar(
            select(func.count()).select_from(HostRow).where(HostRow.last_seen_at > now - SEEN_WITHIN)
        )
        or 0
    )
