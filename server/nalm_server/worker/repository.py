# SPDX-License-Identifier: Apache-2.0
"""SQL of leadership."""

from __future__ import annotations

from sqlalchemy import Connection, func, select, text

LEADER_LOCK = 0x6E616C6D
"""Key of the advisory lock: "nalm" in ASCII."""


def try_lead(connection: Connection) -> bool:
    """Takes the lock for as long as the connection lives. A host that vanished loses it within a minute."""
    connection.execute(text("SET tcp_keepalives_idle = 20"))
    connection.execute(text("SET tcp_keepalives_interval = 10"))
    connection.execute(text("SET tcp_keepalives_count = 3"))
    return bool(connection.scalar(select(func.pg_try_advisory_lock(LEADER_LOCK))))


def answers(connection: Connection) -> None:
    """Raises DBAPIError when the connection is gone."""
    connection.execute(select(1))


def has_leader(connection: Connection) -> bool:
    """Does any connection hold the lock."""
    held = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = :key")
    return bool(connection.scalar(held, {"key": LEADER_LOCK}))
