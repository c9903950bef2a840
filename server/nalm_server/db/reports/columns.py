# SPDX-License-Identifier: Apache-2.0
"""Columns of a row that has a report, and the table of those that nothing refers to any more."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class StoredColumns:
    """Both null: the report is in the row itself, where it was before the store, or is no longer kept."""

    stored_digest: Mapped[str | None] = mapped_column(String(64))
    """Its name in the report store."""
    stored_bytes: Mapped[int | None]
    """Its size there, compressed."""


def stored_index(table: str) -> Index:
    """Who refers to a report: asked before it is removed."""
    stored = text("stored_digest IS NOT NULL")
    return Index(f"ix_{table}_stored_digest", "stored_digest", postgresql_where=stored, sqlite_where=stored)


class ReleasedRow(Base):
    """A report that a row let go of: it leaves the store after a while, unless a row refers to it again."""

    __tablename__ = "released_reports"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    released_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
