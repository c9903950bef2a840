# SPDX-License-Identifier: Apache-2.0
"""Tables: retention_rules, removals."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class RuleRow(Base):
    """A project's own rules; a project without a row has the server's settings."""

    __tablename__ = "retention_rules"

    project_id: Mapped[int] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    report_days: Mapped[int]
    log_days: Mapped[int]


class RemovalRow(Base):
    """What one sweep removed of one kind."""

    __tablename__ = "removals"
    __table_args__ = (Index(None, "project_id", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    kind: Mapped[str] = mapped_column(String(16))
    """reports, deliveries or logs."""
    number: Mapped[int]
    bytes: Mapped[int] = mapped_column(BigInteger)
