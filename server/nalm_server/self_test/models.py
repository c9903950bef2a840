# SPDX-License-Identifier: Apache-2.0
"""Table: self_test_trials."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime
from nalm_server.db.reports.columns import StoredColumns, stored_index


class TrialRow(StoredColumns, Base):
    """A comparison of known truth: a planted change, or none. It is no run and enters no series."""

    __tablename__ = "self_test_trials"
    __table_args__ = (
        UniqueConstraint("project_id", "key"),
        Index(None, "project_id", "measured_at"),
        stored_index("self_test_trials"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(String(64))
    """Set by the uploader: a trial with a stored key is not stored again."""
    kind: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(128))
    scenario: Mapped[str] = mapped_column(String(64))
    expected: Mapped[str] = mapped_column(String(16))
    """The right outcome."""
    category: Mapped[str | None] = mapped_column(String(32))
    """Kind of the planted change."""
    size: Mapped[float | None]
    """Planted relative change of the chain's cycles; of its instructions, if cycles are unknown."""
    outcome: Mapped[str] = mapped_column(String(16))
    correct: Mapped[bool]
    stage_right: Mapped[bool | None]
    cause_right: Mapped[bool | None]
    ratio_cpp: Mapped[float | None]
    low: Mapped[float | None]
    high: Mapped[float | None]
    cpp: Mapped[float | None]
    """Head's cycles per packet: the control series."""
    host: Mapped[str] = mapped_column(String(128))
    host_class: Mapped[str] = mapped_column(String(128))
    version: Mapped[str | None] = mapped_column(String(64))
    """Version of nalm that measured it."""
    base_sha: Mapped[str | None] = mapped_column(String(64))
    head_sha: Mapped[str | None] = mapped_column(String(64))
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"), index=True)
    """The control's job; None for uploads."""
    measured_at: Mapped[datetime] = mapped_column(UtcDateTime)
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)
    report: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)
    """zlib; report of a false alarm from before the report store. Later ones are in the store."""
