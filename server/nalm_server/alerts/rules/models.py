# SPDX-License-Identifier: Apache-2.0
"""Tables: alert_mutes, expectations, series_floors, alert_subscriptions."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class MuteRow(Base):
    """Scenarios without notifications for a while. Changes are recorded all the same."""

    __tablename__ = "alert_mutes"

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    scenario: Mapped[str] = mapped_column(String(64))
    """A glob."""
    until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """None: until somebody ends it."""
    why: Mapped[str] = mapped_column(Text)
    who: Mapped[str] = mapped_column(String(128))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ExpectationRow(Base):
    """A declared change: within its bound it is no finding, and its commit starts a new segment."""

    __tablename__ = "expectations"
    __table_args__ = (
        UniqueConstraint("commit_id", "scenario", "metric", "source"),
        Index(None, "project_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    scenario: Mapped[str] = mapped_column(String(64))
    """A glob."""
    metric: Mapped[str] = mapped_column(String(32))
    bound: Mapped[float | None]
    """Largest expected ratio, after / before. None: any, for a change from or to 0."""
    reason: Mapped[str] = mapped_column(Text)
    source: Mapped[str] = mapped_column(String(8))
    """`commit`: its message; `request`: the merge request's text; `triage`: a person on the alert."""
    who: Mapped[str] = mapped_column(String(256))
    """The commit's author, or the account that triaged."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class FloorRow(Base):
    """Noise floor: the size of change below which a series makes no alert. Set by a false alarm."""

    __tablename__ = "series_floors"
    __table_args__ = (UniqueConstraint("project_id", "scenario", "host_class", "stage", "metric"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    scenario: Mapped[str] = mapped_column(String(64))
    host_class: Mapped[str] = mapped_column(String(128))
    stage: Mapped[str] = mapped_column(String(64))
    metric: Mapped[str] = mapped_column(String(32))
    size: Mapped[float]
    """|ln ratio| at the time when it was set; nalm_core.findings.noise_floor computes its later value."""
    alert_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id", ondelete="SET NULL"), index=True)
    who: Mapped[str] = mapped_column(String(128))
    set_at: Mapped[datetime] = mapped_column(UtcDateTime)


class SubscriptionRow(Base):
    """Alerts that an account subscribes to: all four globs must match."""

    __tablename__ = "alert_subscriptions"
    __table_args__ = (UniqueConstraint("account_id", "project", "scenario", "stage", "author"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))
    project: Mapped[str] = mapped_column(String(64))
    scenario: Mapped[str] = mapped_column(String(64))
    stage: Mapped[str] = mapped_column(String(64))
    author: Mapped[str] = mapped_column(String(256))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
