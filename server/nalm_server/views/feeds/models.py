# SPDX-License-Identifier: Apache-2.0
"""Table: feed_tokens."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class FeedTokenRow(Base):
    """Feed readers send no headers: the address has a token, valid for the feed alone."""

    __tablename__ = "feed_tokens"

    project_id: Mapped[int] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
