# SPDX-License-Identifier: Apache-2.0
"""Tables: builds, runs, reports, verdicts, commit_outcomes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime
from nalm_server.db.reports.columns import StoredColumns, stored_index

OWN = text("import_id IS NULL")
NOTEWORTHY = text("(outcome IN ('regressed', 'improved', 'broken') OR display = 'feature')")
"""Few among all verdicts, so a partial index finds them."""
PRICED = text("price_cycles_per_packet IS NOT NULL")


class BuildRow(Base):
    """A build, shared by all its runs."""

    __tablename__ = "builds"
    __table_args__ = (UniqueConstraint("project_id", "digest"), Index(None, "project_id", "sha"))

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 of all the fields below."""
    sha: Mapped[str] = mapped_column(String(64))
    """SHA of the commit."""
    tree: Mapped[str] = mapped_column(Text)
    code_digest: Mapped[str] = mapped_column(Text)
    functions: Mapped[str | None] = mapped_column(Text)
    compiler: Mapped[str] = mapped_column(Text)
    options: Mapped[list[str]] = mapped_column(JSON)
    first_seen_at: Mapped[datetime] = mapped_column(UtcDateTime)


class RunRow(Base):
    """A measurement. Imported ones have an `import_id`, no report and no verdict."""

    __tablename__ = "runs"
    __table_args__ = (
        UniqueConstraint("job_id", "scenario_id"),
        Index(None, "commit_id", "scenario_id"),
        Index(None, "scenario_id", "host_class"),
        Index(None, "project_id", "received_at"),
        Index(None, "project_id", "base_sha"),
        Index(None, "host_id", "id"),
        Index(
            "ix_runs_classes",
            "scenario_id",
            "host_class",
            "received_at",
            sqlite_where=OWN,
            postgresql_where=OWN,
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(String(32), unique=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    scenario_id: Mapped[int] = mapped_column(ForeignKey("scenarios.id", ondelete="CASCADE"))
    host_id: Mapped[int] = mapped_column(ForeignKey("hosts.id"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    """Commit of head."""
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"))
    build_id: Mapped[int | None] = mapped_column(ForeignKey("builds.id", ondelete="SET NULL"))
    """Build of head; None if head was not built, and for runs from before revision 0006."""
    base_build_id: Mapped[int | None] = mapped_column(ForeignKey("builds.id", ondelete="SET NULL"))
    import_id: Mapped[int | None] = mapped_column(ForeignKey("imports.id", ondelete="CASCADE"), index=True)
    base_sha: Mapped[str | None] = mapped_column(String(64))
    head_sha: Mapped[str] = mapped_column(String(64))
    host_class: Mapped[str] = mapped_column(String(128))
    beside: Mapped[bool] = mapped_column(server_default=false(), default=False)
    """Measured on another host than the commit's own run, as a confirmation: enters no series."""
    status: Mapped[str] = mapped_column(String(16))
    features: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    """Features of head; None if head was not built, and for runs from before revision 0013."""
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the report's canonical JSON."""
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime] = mapped_column(UtcDateTime)
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ReportRow(StoredColumns, Base):
    """Where the report is stored, and what remains of one that has aged out."""

    __tablename__ = "reports"
    __table_args__ = (stored_index("reports"),)

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    json_bytes: Mapped[int]
    compressed: Mapped[bytes] = mapped_column(LargeBinary)
    """The report, zlib, if it is from before the report store; else empty."""
    expired_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Time at which it aged out."""
    remains: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """results.summary.Remains: what is kept of a report that has aged out."""


class VerdictRow(Base):
    """nalm_core's judgement of the run: columns for lists, and the whole as JSON."""

    __tablename__ = "verdicts"
    __table_args__ = (
        Index("ix_verdicts_noteworthy", "run_id", sqlite_where=NOTEWORTHY, postgresql_where=NOTEWORTHY),
        Index("ix_verdicts_priced", "run_id", sqlite_where=PRICED, postgresql_where=PRICED),
    )

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    outcome: Mapped[str] = mapped_column(String(16))
    display: Mapped[str] = mapped_column(String(16))
    cause: Mapped[str | None] = mapped_column(String(16))
    stage: Mapped[str | None] = mapped_column(String(64))
    summary: Mapped[str] = mapped_column(Text)
    ratio_cpp: Mapped[float | None]
    low: Mapped[float | None]
    high: Mapped[float | None]
    features_added: Mapped[list[str]] = mapped_column(JSON)
    features_removed: Mapped[list[str]] = mapped_column(JSON)
    price_cycles_per_packet: Mapped[float | None]
    fixes_sha: Mapped[str | None] = mapped_column(String(64))
    recovery: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """nalm_core.findings.recovery.Recovery of the regression that it fixes, with earlier fixes."""
    unchanged: Mapped[bool]
    document: Mapped[dict[str, Any]] = mapped_column(JSON, deferred=True)
    """nalm_core.verdict.verdict.Verdict."""


class CommitOutcomeRow(Base):
    """How many scenarios of a commit have this outcome: see outcome_repository.refresh."""

    __tablename__ = "commit_outcomes"

    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"), primary_key=True)
    display: Mapped[str] = mapped_column(String(16), primary_key=True)
    scenarios: Mapped[int]
