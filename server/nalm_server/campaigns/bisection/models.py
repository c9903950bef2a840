# SPDX-License-Identifier: Apache-2.0
"""Tables: bisects, bisect_steps."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class BisectRow(Base):
    """The search of one scenario's change between good and bad."""

    __tablename__ = "bisects"
    __table_args__ = (Index(None, "state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    scenario: Mapped[str] = mapped_column(String(64))
    good_sha: Mapped[str] = mapped_column(String(64))
    bad_sha: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(16))
    commits: Mapped[list[str] | None] = mapped_column(JSON)
    """From good to bad along the first parent; None until it has been read from the repository."""
    direction: Mapped[str | None] = mapped_column(String(16))
    """How bad differs from good: `regressed` or `improved`; None until measured."""
    low_sha: Mapped[str | None] = mapped_column(String(64))
    high_sha: Mapped[str | None] = mapped_column(String(64))
    message: Mapped[str | None] = mapped_column(Text)
    requested_by: Mapped[str] = mapped_column(String(128))
    tries: Mapped[int]
    not_before: Mapped[datetime | None] = mapped_column(UtcDateTime)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class BisectStepRow(Base):
    """One candidate compared with good, measured again with more rounds as long as it is undecided."""

    __tablename__ = "bisect_steps"
    __table_args__ = (UniqueConstraint("bisect_id", "place"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    bisect_id: Mapped[int] = mapped_column(ForeignKey("bisects.id", ondelete="CASCADE"))
    place: Mapped[int]
    """Index in the bisect's commits."""
    sha: Mapped[str] = mapped_column(String(64))
    finding: Mapped[str | None] = mapped_column(String(8))
    """nalm_core.findings.bisection.Finding; None while it is being measured."""
    why: Mapped[str | None] = mapped_column(Text)
    measurements: Mapped[int]
    budget_seconds: Mapped[float | None]
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"), index=True)
    run_id: Mapped[str | None] = mapped_column(String(32))
    """The run that decided."""
    reused: Mapped[bool]
    """The run was there before."""
    at: Mapped[datetime] = mapped_column(UtcDateTime)
