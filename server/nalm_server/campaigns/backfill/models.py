# SPDX-License-Identifier: Apache-2.0
"""Tables: backfills, backfill_steps."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class BackfillRow(Base):
    """A range first..last of the first parent, every n-th commit of it measured against the one before."""

    __tablename__ = "backfills"
    __table_args__ = (Index(None, "state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    first_sha: Mapped[str] = mapped_column(String(64))
    last_sha: Mapped[str] = mapped_column(String(64))
    every: Mapped[int]
    scenarios: Mapped[list[str] | None] = mapped_column(JSON)
    state: Mapped[str] = mapped_column(String(16))
    message: Mapped[str | None] = mapped_column(Text)
    requested_by: Mapped[str] = mapped_column(String(128))
    tries: Mapped[int]
    """How often planning failed."""
    not_before: Mapped[datetime | None] = mapped_column(UtcDateTime)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class BackfillStepRow(Base):
    __tablename__ = "backfill_steps"
    __table_args__ = (UniqueConstraint("backfill_id", "ordinal"), Index(None, "backfill_id", "state"))

    id: Mapped[int] = mapped_column(primary_key=True)
    backfill_id: Mapped[int] = mapped_column(ForeignKey("backfills.id", ondelete="CASCADE"))
    ordinal: Mapped[int]
    """Oldest first."""
    base_sha: Mapped[str] = mapped_column(String(64))
    head_sha: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(16))
    """`waiting`, `queued` (it has a job), `reused`, or how its job ended."""
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"), index=True)
