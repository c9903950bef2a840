# SPDX-License-Identifier: Apache-2.0
"""Tables: runs, reports, verdicts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db import Base, UtcDateTime


class RunRow(Base):
    __tablename__ = "runs"
    __table_args__ = (
        UniqueConstraint("job_id", "scenario_id"),
        Index(None, "commit_id", "scenario_id"),
        Index(None, "scenario_id", "host_class"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(String(32), unique=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    scenario_id: Mapped[int] = mapped_column(ForeignKey("scenarios.id", ondelete="CASCADE"))
    host_id: Mapped[int] = mapped_column(ForeignKey("hosts.id"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    """Head's."""
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"))
    base_sha: Mapped[str | None] = mapped_column(String(64))
    head_sha: Mapped[str] = mapped_column(String(64))
    host_class: Mapped[str] = mapped_column(String(128))
    status: Mapped[str] = mapped_column(String(16))
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the report's canonical JSON."""
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime] = mapped_column(UtcDateTime)
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ReportRow(Base):
    """The report whole, apart from its run so that lists need not read it."""

    __tablename__ = "reports"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    json_bytes: Mapped[int]
    compressed: Mapped[bytes] = mapped_column(LargeBinary)
    """zlib."""


class VerdictRow(Base):
    """nalm_core's judgement of the run, what lists need as columns, the whole as JSON."""

    __tablename__ = "verdicts"

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
    unchanged: Mapped[bool]
    document: Mapped[dict[str, Any]] = mapped_column(JSON)
    """nalm_core.verdict.Verdict."""
