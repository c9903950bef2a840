# SPDX-License-Identifier: Apache-2.0
"""Table: notifications."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class NotificationRow(Base):
    """A commit's status, a pull request's comment or a message, for one integration.

    A status or comment is what the forge should show now: the row is reused when that changes (`requested`
    grows). A message is sent once.
    """

    __tablename__ = "notifications"
    __table_args__ = (
        UniqueConstraint("integration_id", "kind", "subject"),
        Index(None, "state", "next_try_at"),
        Index(None, "project_id", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    integration_id: Mapped[int] = mapped_column(ForeignKey("integrations.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(16))
    subject: Mapped[str] = mapped_column(String(128))
    """A commit's SHA; a pull request's number; event and run or job of a message."""
    payload: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """Of a message, as of its event."""
    state: Mapped[str] = mapped_column(String(16))
    requested: Mapped[int]
    """Number of changes to send."""
    tries: Mapped[int]
    """Number of tries since the last change."""
    next_try_at: Mapped[datetime] = mapped_column(UtcDateTime)
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """End of the sender's claim."""
    last_error: Mapped[str | None] = mapped_column(Text)
    external_id: Mapped[str | None] = mapped_column(String(64))
    """Number of the comment or check run at the forge."""
    sent_digest: Mapped[str | None] = mapped_column(String(64))
    """SHA-256 of what was last sent: the same is not sent again."""
    request_id: Mapped[str | None] = mapped_column(String(32))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
