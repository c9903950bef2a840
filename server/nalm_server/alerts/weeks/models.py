# SPDX-License-Identifier: Apache-2.0
"""Table: weeks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey
from sqlalchemy.orm import Mapped, deferred, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class WeekRow(Base):
    """The stored figures of a week of a project; they hold while `computed` equals `changes`."""

    __tablename__ = "weeks"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    start: Mapped[datetime] = mapped_column(UtcDateTime, primary_key=True)
    """Monday, 00:00 UTC."""
    changes: Mapped[int]
    """How often commits or verdicts of the week changed."""
    computed: Mapped[int]
    """Value of `changes` that `figures` and `parts` are of; 0: none yet."""
    figures: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """nalm_server.alerts.weeks.figures.WeekFigures."""
    parts: Mapped[dict[str, Any] | None] = deferred(mapped_column(JSON(none_as_null=True)))
    """nalm_server.alerts.weeks.figures.WeekParts. They are long, and a list of weeks needs none."""
