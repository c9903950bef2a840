# SPDX-License-Identifier: Apache-2.0
"""Table: alerts."""

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
