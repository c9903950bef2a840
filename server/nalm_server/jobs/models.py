# SPDX-License-Identifier: Apache-2.0
"""Tables: jobs, job_transitions."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db import Base, UtcDateTime


class JobRow(Base):
    """Measure head against base. `fence` grows with each lease; only its holder may speak for the job."""

    __tablename__ = "jobs"
    __table_args__ = (
        UniqueConstraint("commit_id", "base_sha", "reason"),
        Index(None, "state", "lease_until"),
        Index(None, "project_id", "state"),
        Index(
            None, "needs", postgresql_where=text("needs IS NOT NULL"), sqlite_where=text("needs IS NOT NULL")
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    base_sha: Mapped[str] = mapped_column(String(64))
    head_sha: Mapped[str] = mapped_column(String(64))
    reason: Mapped[str] = mapped_column(String(32))
    state: Mapped[str] = mapped_column(String(16))
    step: Mapped[str | None] = mapped_column(String(500))
    detail: Mapped[str | None] = mapped_column(String(500))
    fraction: Mapped[float | None]
    log_tail: Mapped[str | None] = mapped_column(Text)
    message: Mapped[str | None] = mapped_column(Text)
    attempts: Mapped[int]
    fence: Mapped[int]
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    host: Mapped[str | None] = mapped_column(String(128))
    needs: Mapped[str | None] = mapped_column(String(200))
    """What a host must have that may take it (agents.needs, as text); None: not known to need anything."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class TransitionRow(Base):
    __tablename__ = "job_transitions"

    id: Mapped[int] = mapped_column(primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), index=True)
    state: Mapped[str] = mapped_column(String(16))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    reason: Mapped[str] = mapped_column(Text)
