# SPDX-License-Identifier: Apache-2.0
"""Table: deliveries."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime

WAITING = text("status = 'received'")


class DeliveryRow(Base):
    """A webhook delivery, stored once."""

    __tablename__ = "deliveries"
    __table_args__ = (
        UniqueConstraint("project_id", "forge", "delivery"),
        Index(None, "status", "next_at"),
        Index(None, "project_id", "received_at"),
        Index(
            "ix_deliveries_waiting",
            "project_id",
            "about",
            "id",
            sqlite_where=WAITING,
            postgresql_where=WAITING,
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    forge: Mapped[str] = mapped_column(String(16))
    delivery: Mapped[str] = mapped_column(String(128))
    """The forge's id of the delivery, or the digest of its body."""
    event: Mapped[str] = mapped_column(String(64))
    about: Mapped[str | None] = mapped_column(String(100))
    """Subject: no delivery is processed after a later one of the same subject. None: it has none."""
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)
    status: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(String(512))
    job_ids: Mapped[list[int]] = mapped_column(JSON)
    body: Mapped[bytes | None] = mapped_column(LargeBinary)
    """Raw body, compressed. None: removed by retention."""
    attempts: Mapped[int] = mapped_column(server_default="0")
    next_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Time of the next try; during processing, the end of the worker's claim."""
    worked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
