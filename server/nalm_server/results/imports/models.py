# SPDX-License-Identifier: Apache-2.0
"""Table: imports."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class ImportRow(Base):
    """One imported file. Its figures are runs of status `imported`."""

    __tablename__ = "imports"
    __table_args__ = (UniqueConstraint("project_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the format, the options and the content."""
    format: Mapped[str] = mapped_column(String(32))
    runs: Mapped[int]
    values: Mapped[int]
    imported_by: Mapped[str] = mapped_column(String(128))
    imported_at: Mapped[datetime] = mapped_column(UtcDateTime)
