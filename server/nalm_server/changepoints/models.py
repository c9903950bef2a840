# SPDX-License-Identifier: Apache-2.0
"""Tables: looks, change_points."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, false, text
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime

WAITING = text("requested > judged OR NOT settled")


class LookRow(Base):
    """How far the history of a scenario on a host class was judged. It waits while requested > judged."""

    __tablename__ = "looks"
    __table_args__ = (
        Index("ix_looks_waiting", "claimed_until", sqlite_where=WAITING, postgresql_where=WAITING),
    )

    scenario_id: Mapped[int] = mapped_column(ForeignKey("scenarios.id", ondelete="CASCADE"), primary_key=True)
    host_class: Mapped[str] = mapped_column(String(128), primary_key=True)
    requested: Mapped[int] = mapped_column(server_default="0")
    """How often something was said to have changed."""
    judged: Mapped[int] = mapped_column(server_default="0")
    """`requested` as it was when the last stored look began. -1: what the next one finds is old news."""
    settled: Mapped[bool] = mapped_column(server_default=false())
    """Whether the change points found have been weighed against all others of the project."""
    claimed_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Until when the worker that looks at it is waited for."""
    judged_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    blocks: Mapped[list[str] | None] = mapped_column(JSON)
    """Digests of the blocks that were judged: one that is here need not be judged again."""
    cuts: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON)
    """Where segments begin and why (schemas.Segment)."""
    host_steps: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON)
    """What single hosts did (looking.HostStepFound)."""


class ChangePointRow(Base):
    """A step in a series: after `low_commit_id`, by `high_commit_id` at the latest, likely at `commit_id`."""

    __tablename__ = "change_points"
    __table_args__ = (Index(None, "series_id", "commit_id", unique=True),)

    id: Mapped[int] = mapped_column(primary_key=True)
    series_id: Mapped[int] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"), index=True)
    low_commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    high_commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    alert_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id", ondelete="SET NULL"), index=True)
    ratio: Mapped[float]
    """Level after / level before."""
    probability: Mapped[float]
    state: Mapped[str] = mapped_column(String(16))
    detected_at: Mapped[datetime] = mapped_column(UtcDateTime)
    chain_share: Mapped[float | None]
    """What it adds to the chain's level, as a share of that; None: the chain's is not known."""
    significant: Mapped[bool] = mapped_column(server_default=false())
    """Among all series of the project, at HISTORY_FALSE_DISCOVERY_RATE."""
    withdrawn_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When more values showed that it was none."""
