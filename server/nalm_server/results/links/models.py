# SPDX-License-Identifier: Apache-2.0
"""Tables: link_values, function_links, other_links, link_levels."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class LinkValueRow(Base):
    """One comparison of a series in a run: ln(head / base)."""

    __tablename__ = "link_values"
    __table_args__ = (Index(None, "run_id"),)

    series_id: Mapped[int] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"), primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    part: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """nalm_core.history.links.Part."""
    ln_ratio: Mapped[float]
    variance: Mapped[float]


class FunctionLinkRow(Base):
    """One comparison of a C function in a run. Counts are exact; None: not on both sides."""

    __tablename__ = "function_links"
    __table_args__ = (Index(None, "run_id"),)

    series_id: Mapped[int] = mapped_column(
        ForeignKey("function_series.id", ondelete="CASCADE"), primary_key=True
    )
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    ln_ipp: Mapped[float | None]
    ln_calls: Mapped[float | None]
    ln_cpp: Mapped[float | None]
    variance: Mapped[float | None]
    """Of ln_cpp."""


class OtherLinkRow(Base):
    """A comparison without a run: of a control, or of a cell of an experiment."""

    __tablename__ = "other_links"
    __table_args__ = (UniqueConstraint("series_id", "report_id"), Index(None, "report_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    series_id: Mapped[int] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"))
    report_id: Mapped[str] = mapped_column(String(32))
    """Run id of its report."""
    kind: Mapped[str] = mapped_column(String(16))
    """`control` or `experiment`."""
    host: Mapped[str] = mapped_column(String(128))
    base_sha: Mapped[str] = mapped_column(String(64))
    head_sha: Mapped[str] = mapped_column(String(64))
    base_features: Mapped[str | None] = mapped_column(String(1024))
    """Sorted and joined by commas. None: as the commit ships them."""
    head_features: Mapped[str | None] = mapped_column(String(1024))
    ln_ratio: Mapped[float]
    variance: Mapped[float]
    measured_at: Mapped[datetime] = mapped_column(UtcDateTime)


class LinkLevelsRow(Base):
    """Levels of a series as they were last solved (known_levels)."""

    __tablename__ = "link_levels"

    scenario_id: Mapped[int] = mapped_column(ForeignKey("scenarios.id", ondelete="CASCADE"), primary_key=True)
    host_class: Mapped[str] = mapped_column(String(128), primary_key=True)
    """Its scale."""
    metric: Mapped[str] = mapped_column(String(32), primary_key=True)
    stage: Mapped[str] = mapped_column(String(64), primary_key=True)
    source: Mapped[str] = mapped_column(String(64), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64))
    """Of the links' values: a solution of others is of no use."""
    reference: Mapped[int]
    scale: Mapped[float]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    """NumPy's npz: form; keys, base and head of links; level and variance of nodes; weight and misfit of
    links."""
