# SPDX-License-Identifier: Apache-2.0
"""Tables: jobs, job_transitions, approvals, campaigns."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from nalm_core.report.trials.kinds import RunKind, kind_of
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
from sqlalchemy.orm import Mapped, mapped_column, relationship

from nalm_server.db.engine import Base, UtcDateTime

AUTOMATIC = text("reason IN ('push', 'pull_request')")
"""Reasons of jobs made by deliveries: at most one job per commit, base and reason."""
WAITING = text("state = 'queued' AND held IS NULL")
ACTIVE = text("active")
CHANGES = Sequence("job_changes_seq")
"""Numbers the changes of all jobs on PostgreSQL; on SQLite, with one writer, the largest number plus one."""


class CampaignRow(Base):
    """Several measurements with one conclusion; a job may be a step of it. See nalm_server.campaigns. The
    kind defines states, spec and result."""

    __tablename__ = "campaigns"
    __table_args__ = (
        UniqueConstraint("kind", "number"),
        Index(None, "project_id", "kind", "number"),
        Index("ix_campaigns_active", "id", sqlite_where=ACTIVE, postgresql_where=ACTIVE),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(16))
    number: Mapped[int]
    """For addresses and messages; unique within its kind."""
    state: Mapped[str] = mapped_column(String(16))
    active: Mapped[bool]
    """There is, or will be, more to do."""
    spec: Mapped[dict[str, Any]] = mapped_column(JSON)
    """What to do: as requested, with what planning added."""
    result: Mapped[dict[str, Any]] = mapped_column(JSON)
    """The result so far."""
    message: Mapped[str | None] = mapped_column(Text)
    requested_by: Mapped[str | None] = mapped_column(String(128))
    tries: Mapped[int]
    """Number of times that planning failed."""
    not_before: Mapped[datetime | None] = mapped_column(UtcDateTime)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class JobRow(Base):
    """Measure head against base. `fence` grows with each lease; only its holder may report on the job."""

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
        Index(None, "project_id", "state", "id"),
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
    """Why it waits for approval; it is not leased until this is None. From the last time it was queued:
    approvals.holds decides each time."""
    fork: Mapped[str | None] = mapped_column(String(200))
    """The repository of the head, as its forge names it. None: the project's own."""
    priority: Mapped[int] = mapped_column(SmallInteger, server_default="1")
    """Smaller comes first."""
    pull_request: Mapped[int | None]
    branch: Mapped[str | None] = mapped_column(String(255))
    """The branch of the push, or the target of the pull request; None: unknown, or from before revision
    0030."""
    requested_by: Mapped[str | None] = mapped_column(String(128))
    scenarios: Mapped[list[str] | None] = mapped_column(JSON)
    """Only these; None: those that nalm.toml measures by default."""
    budget_seconds: Mapped[float | None]
    """Seconds for the rounds of a scenario; None: as nalm.toml says."""
    margin: Mapped[float | None]
    """Relative change of cycles that matters; None: as nalm.toml says."""
    campaign_id: Mapped[int | None] = mapped_column(
        ForeignKey("campaigns.id", ondelete="SET NULL"), index=True
    )
    only_host: Mapped[str | None] = mapped_column(String(128))
    """Only this host may take it."""
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
    """Not leased before this time."""
    generator_busy_since: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When its generator was first found in use, since it measured last; None: it was not."""
    avoid_host: Mapped[str | None] = mapped_column(String(128))
    """Host of the last failure; other hosts have precedence until `avoid_until`."""
    avoid_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    host: Mapped[str | None] = mapped_column(String(128))
    needs: Mapped[str | None] = mapped_column(String(200))
    """What a host needs to have for it (agents.needs, as text); None: no known needs."""
    updated_seq: Mapped[int] = mapped_column(BigInteger, server_default="0", index=True)
    """Grows with every change of any job; followers read from it."""
    raised_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Last time that its priority was raised for waiting long."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    campaign: Mapped[CampaignRow | None] = relationship()

    @property
    def kind(self) -> RunKind:
        """What it measures; cycles for a job of several kinds."""
        return kind_of(self.scenarios)

    @property
    def backfill_id(self) -> int | None:
        return self._number_of("backfill")

    @property
    def bisect_id(self) -> int | None:
        return self._number_of("bisect")

    @property
    def experiment_id(self) -> int | None:
        """The experiment whose cells it measures instead of scenarios."""
        return self._number_of("experiment")

    @property
    def alert_id(self) -> int | None:
        """The alert that the job confirms."""
        return self._number_of("confirmation")

    def _number_of(self, kind: str) -> int | None:
        """Number of its campaign, if that is of this kind."""
        return self.campaign.number if self.campaign is not None and self.campaign.kind == kind else None


class ApprovalRow(Base):
    """One commit of one repository may be measured."""

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
