# SPDX-License-Identifier: Apache-2.0
"""Table: experiment_cells. An experiment is a row of campaigns."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime
from nalm_server.db.reports.columns import StoredColumns, stored_index


class CellRow(StoredColumns, Base):
    """Two run definitions measured side by side, with the run report."""

    __tablename__ = "experiment_cells"
    __table_args__ = (UniqueConstraint("campaign_id", "name"), stored_index("experiment_cells"))

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(64))
    subject: Mapped[str] = mapped_column(String(64))
    use: Mapped[str] = mapped_column(String(16))
    base: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """nalm_core.report.run_report.RunDefinition of the arm; None if it was not built."""
    head: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    run_id: Mapped[str] = mapped_column(String(32), unique=True)
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the report's canonical JSON."""
    host: Mapped[str] = mapped_column(String(128))
    host_class: Mapped[str] = mapped_column(String(128))
    unusable: Mapped[str | None] = mapped_column(Text)
    """Why the cell has no ratio."""
    ratio: Mapped[float | None]
    low: Mapped[float | None]
    high: Mapped[float | None]
    compressed: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    """The report, zlib, if it is from before the report store; else empty."""
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)
