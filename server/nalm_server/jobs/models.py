# SPDX-License-Identifier: Apache-2.0
"""Tables: jobs, job_transitions."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    ForeignKey,
    Index,
    Sequence,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime

AUTOMATIC = text("reason IN ('push', 'pull_request')")
"""Jobs that forges ask for: the same one only once."""
WAITING = text("state = 'queued' AND held IS NULL")
CHANGES = Sequence("job_changes_seq")
"""Numbers the changes of all jobs on PostgreSQL; on SQLite, with one writer, the largest number plus one."""


class JobRow(Base):
    """Measure head against base. `fence` grows with each lease; only its holder may speak for the job."""

    __tablename__ = "jobs"
    __table_args__ = (
        Index(
            "uq_jobs_automatic",
            "commit_id",
            "base_sha",
            "reason",
            unique=True,
            sqlite_where=AUTOMATIC,
            postgresql_where=AUTOMATIC,
        ),
        Index(None, "commit_id"),
        Index(None, "state", "lease_until"),
        Index(None, "project_id", "state"),
        Index(
            None, "needs", postgresql_where=text("needs IS NOT NULL"), sqlite_where=text("needs IS NOT NULL")
        ),
        Index(None, "host", "id"),
        Index(None, "project_id", "leased_at"),
        Index(None, "project_id", "updated_at"),
        Index(None, "project_id", "pull_request"),
        Index(
            "ix_jobs_waiting",
            "project_id",
            "priority",
            "id",
            sqlite_where=WAITING,
            postgresql_where=WAITING,
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    base_sha: Mapped[str] = mapped_column(String(64))
    head_sha: Mapped[str] = mapped_column(String(64))
    reason: Mapped[str] = mapped_column(String(32))
    state: Mapped[str] = mapped_column(String(16))
    held: Mapped[str | None] = mapped_column(Text)
    """Why it waits for approval; not given out until it is None. Says so of the last time that it was queued:
    approvals.hold is asked each time anew."""
    fork: Mapped[str | None] = mapped_column(String(200))
    """The repository that head comes from, as its forge names it. None: the project's own."""
    priority: Mapped[int] = mapped_column(SmallInteger, server_default="1")
    """Smaller goes first."""
    pull_request: Mapped[int | None]
    requested_by: Mapped[str | None] = mapped_column(String(128))
    scenarios: Mapped[list[str] | None] = mapped_column(JSON)
    """Only these; None: those nalm.toml has measured by default."""
    budget_seconds: Mapped[float | None]
    """Time for the rounds of a scenario; None: as nalm.toml says."""
    backfill_id: Mapped[int | None] = mapped_column(
        ForeignKey("backfills.id", ondelete="SET NULL"), index=True
    )
    bisect_id: Mapped[int | None] = mapped_column(ForeignKey("bisects.id", ondelete="SET NULL"), index=True)
    alert_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id", ondelete="SET NULL"), index=True)
    experiment_id: Mapped[int | None] = mapped_column(
        ForeignKey("experiments.id", ondelete="SET NULL"), index=True
    )
    """Its cells are measured, not the scenarios."""
    only_host: Mapped[str | None] = mapped_column(String(128))
    """No other host may take it."""
    not_host: Mapped[str | None] = mapped_column(String(128))
    """This host may not take it."""
    step: Mapped[str | None] = mapped_column(String(500))
    detail: Mapped[str | None] = mapped_column(String(500))
    fraction: Mapped[float | None]
    log_tail: Mapped[str | None] = mapped_column(Text)
    message: Mapped[str | None] = mapped_column(Text)
    attempts: Mapped[int]
    fence: Mapped[int]
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    leased_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    not_before: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Tried again no sooner."""
    avoid_host: Mapped[str | None] = mapped_column(String(128))
    """Where it went wrong last; any other host goes first until `avoid_until`."""
    avoid_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    host: Mapped[str | None] = mapped_column(String(128))
    needs: Mapped[str | None] = mapped_column(String(200))
    """What a host must have that may take it (agents.needs, as text); None: not known to need anything."""
    updated_seq: Mapped[int] = mapped_column(BigInteger, server_default="0", index=True)
    """Grows with every change of any job: what live followers go by."""
    raised_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When long waiting last raised its priority."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class ApprovalRow(Base):
    """One commit of one repository may be measured. Nothing else follows from it."""

    __tablename__ = "approvals"
    __table_args__ = (UniqueConstraint("project_id", "sha", "fork"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    sha: Mapped[str] = mapped_column(String(64))
    fork: Mapped[str] = mapped_column(String(200))
    approved_at: Mapped[datetime] = mapped_column(UtcDateTime)
    approved_by: Mapped[str] = mapped_column(String(128))


class TransitionRow(Base):
    __tablename__ = "job_transitions"

    id: Mapped[int] = mapped_column(primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), index=True)
    state: Mapped[str] = mapped_column(String(16))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    reason: Mapped[str] = mapped_column(Text)
    who: Mapped[str | None] = mapped_column(String(128))
    """Account, token or host; None: the server itself."""
