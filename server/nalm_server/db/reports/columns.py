# SPDX-License-Identifier: Apache-2.0
"""Columns of rows with a report, and the table of reports without references."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class StoredColumns:
    """Both null: the report is in the row itself, as before the store existed, or is no longer kept."""

    stored_digest: Mapped[str | None] = mapped_column(String(64))
    """Its name in the report store."""
    stored_bytes: Mapped[int | None]
    """Its compressed size there."""


def stored_index(table: str) -> Index:
    """Index for the check whether a row refers to a report, before its removal."""
    stored = text("stored_digest IS NOT NULL")
    return Index(f"ix_{table}_stored_digest", "stored_digest", postgresql_where=stored, sqlite_where=stored)


class ReleasedRow(Base):
    """A report without a reference: the store removes it after a while, unless a row refers to it again."""

    __tablename__ = "released_reports"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    released_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
