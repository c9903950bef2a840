# SPDX-License-Identifier: Apache-2.0
"""Table: schedules."""

from __future__ import annotations

from datetime import datetime

from nalm_core.report.trials.kinds import RunKind, kind_of
from sqlalchemy import JSON, Boolean, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class ScheduleRow(Base):
    """Measures the default branch's tip against its last release, its parent or the schedule's previous
    commit, or each commit since that one."""

    __tablename__ = "schedules"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(64))
    cron: Mapped[str] = mapped_column(String(128))
    against: Mapped[str] = mapped_column(String(16))
    scenarios: Mapped[list[str] | None] = mapped_column(JSON)
    enabled: Mapped[bool] = mapped_column(Boolean)
    next_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    last_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    last_sha: Mapped[str | None] = mapped_column(String(64))
    message: Mapped[str | None] = mapped_column(Text)
    """Result of the last time."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    @property
    def kind(self) -> RunKind:
        """What it measures; cycles for a schedule of several kinds."""
        return kind_of(self.scenarios)
