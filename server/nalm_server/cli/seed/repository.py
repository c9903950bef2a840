# SPDX-License-Identifier: Apache-2.0
"""SQL of seeding: rows in bulk under numbers that are chosen before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, insert, select, text
from sqlalchemy.orm import Session

from nalm_server.db.engine import Base

NUMBERED = ("projects", "hosts", "commits", "scenarios", "series", "runs", "alerts")


def next_id(session: Session, table: str) -> int:
    found = session.scalar(select(func.max(Base.metadata.tables[table].c.id)))
    return (found or 0) + 1


def add(session: Session, table: str, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        session.execute(insert(Base.metadata.tables[table]), list(rows))


def continue_numbers(session: Session) -> None:
    """Further rows get further numbers, on PostgreSQL, too; and its planner knows the new rows."""
    if session.get_bind().dialect.name == "postgresql":
        for table in NUMBERED:
            numbers = f"pg_get_serial_sequence('{table}', 'id')"
            session.execute(text(f"SELECT setval({numbers}, (SELECT max(id) FROM {table}))"))
    session.execute(text("ANALYZE"))
