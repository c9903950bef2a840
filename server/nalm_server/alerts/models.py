# SPDX-License-Identifier: Apache-2.0
"""Tables: alerts, change_points."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db import Base, UtcDateTime


class AlertRow(Base):
    """Something a commit did that somebody should look at."""

    __tablename__ = "alerts"
    __table_args__ = (Index(None, "project_id", "state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"), index=True)
    """The culprit."""
    state: Mapped[str] = mapped_column(String(16))
    scenarios: Mapped[list[str]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


class ChangePointRow(Base):
    """A step in a series: after `low_commit_id`, by `high_commit_id` at the latest, likely at `commit_id`."""

    __tablename__ = "change_points"
    __table_args__ = (Index(None, "series_id", "commit_id", unique=True),)

    id: Mapped[int] = mapped_column(primary_key=True)
    series_id: Mapped[int] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"), index=True)
    low_commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    high_commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    alert_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id", ondelete="SET NULL"), index=True)
    ratio: Mapped[float]
    """Level after / level before."""
    probability: Mapped[float]
    state: Mapped[str] = mapped_column(String(16))
    detected_at: Mapped[datetime] = mapped_column(UtcDateTime)
