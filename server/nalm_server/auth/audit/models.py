# SPDX-License-Identifier: Apache-2.0
"""Table: audit_log."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class AuditRow(Base):
    __tablename__ = "audit_log"
    __table_args__ = (Index(None, "project_id", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    who: Mapped[str] = mapped_column(String(128))
    """Name of the account, token or agent; `anonymous` only for actions open to all."""
    action: Mapped[str] = mapped_column(String(64))
    """`noun.verb`, e.g. `job.cancel`."""
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id", ondelete="SET NULL"))
    subject: Mapped[str] = mapped_column(String(256))
    """Object of the action, e.g. `job 12`."""
    detail: Mapped[str | None] = mapped_column(Text)
    request_id: Mapped[str | None] = mapped_column(String(32))
