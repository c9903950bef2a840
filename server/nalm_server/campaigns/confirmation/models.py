# SPDX-License-Identifier: Apache-2.0
"""Tables: confirmation_plans, confirmations."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class PlanRow(Base):
    """How far the confirmation of one alert is."""

    __tablename__ = "confirmation_plans"
    __table_args__ = (Index(None, "state"),)

    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"), primary_key=True)
    state: Mapped[str] = mapped_column(String(16))
    base_sha: Mapped[str] = mapped_column(String(64))
    """The last commit known to be good."""
    head_sha: Mapped[str] = mapped_column(String(64))
    """The commit in which it was seen."""
    why: Mapped[str | None] = mapped_column(Text)
    requested_by: Mapped[str | None] = mapped_column(String(128))
    """Who wants it measured once more, whatever it came to; None: nobody."""
    seen_on: Mapped[list[str]] = mapped_column(JSON)
    """Hosts that saw it when it was measured again."""
    not_seen_on: Mapped[list[str]] = mapped_column(JSON)
    """Hosts that did not."""
    gradual: Mapped[bool]
    """It lies between base and head, in no single commit."""
    begun_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """Measurements asked for since then count."""
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class ConfirmationRow(Base):
    """One scenario of an alert measured again, or the bisect of what lies between two measured commits."""

    __tablename__ = "confirmations"

    id: Mapped[int] = mapped_column(primary_key=True)
    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"), index=True)
    scenario: Mapped[str] = mapped_column(String(64))
    wanted: Mapped[str] = mapped_column(String(8))
    """schemas.Wanted."""
    budget_seconds: Mapped[float | None]
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"), index=True)
    bisect_id: Mapped[int | None] = mapped_column(ForeignKey("bisects.id", ondelete="SET NULL"), index=True)
    first_host: Mapped[str | None] = mapped_column(String(128))
    """Where it was seen first; None: nobody knows, any host may tell."""
    host: Mapped[str | None] = mapped_column(String(128))
    """Where it was measured again."""
    run_id: Mapped[str | None] = mapped_column(String(32))
    outcome: Mapped[str | None] = mapped_column(String(16))
    """A verdict's, or `lost`: the job ended without one; None: still to come."""
    ratio: Mapped[float | None]
    low: Mapped[float | None]
    high: Mapped[float | None]
    level: Mapped[float | None]
    why: Mapped[str | None] = mapped_column(Text)
    asked_at: Mapped[datetime] = mapped_column(UtcDateTime)
    answered_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
