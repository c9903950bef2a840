# SPDX-License-Identifier: Apache-2.0
"""Tables: looks, change_points, change_point_trials."""

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
    """Number of changes to the history."""
    judged: Mapped[int] = mapped_column(server_default="0")
    """`requested` at the start of the last stored look. -1: change points of the next look are in the
    past."""
    settled: Mapped[bool] = mapped_column(server_default=false())
    """The change points were weighed against all others of the project."""
    claimed_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """End of the worker's claim."""
    judged_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    blocks: Mapped[list[str] | None] = mapped_column(JSON)
    """Digests of judged blocks, which are not judged again."""
    cuts: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON)
    """Segments with their reasons (schemas.Segment)."""
    host_steps: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON)
    """Changes of single hosts (look.HostStepFound)."""


class ChangePointRow(Base):
    """A step in a series: after `low_commit_id`, at most at `high_commit_id`, most likely at `commit_id`. A
    drift begins after `low_commit_id` and ends at `high_commit_id`; `commit_id` is in its middle."""

    __tablename__ = "change_points"
    __table_args__ = (Index(None, "series_id", "commit_id", unique=True),)

    id: Mapped[int] = mapped_column(primary_key=True)
    series_id: Mapped[int] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"), index=True)
    low_commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    high_commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    alert_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id", ondelete="SET NULL"), index=True)
    kind: Mapped[str] = mapped_column(String(8), server_default="step")
    ratio: Mapped[float]
    """Level after / level before."""
    probability: Mapped[float]
    p_value: Mapped[float]
    """That noise or outliers alone show as much."""
    state: Mapped[str] = mapped_column(String(16))
    detected_at: Mapped[datetime] = mapped_column(UtcDateTime)
    chain_share: Mapped[float | None]
    """Its contribution to the chain's level, relative to that level; None: the chain's level is unknown."""
    significant: Mapped[bool] = mapped_column(server_default=false())
    """Significant among all series of the project, at HISTORY_FALSE_DISCOVERY_RATE."""
    withdrawn_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Time at which more values showed that there is no change."""
    trial_id: Mapped[int | None] = mapped_column(ForeignKey("change_point_trials.id", ondelete="SET NULL"))


class ChangePointTrialRow(Base):
    """A change point as it was first found: whether it stays shows what its probability was worth. Those of
    the first search of an existing history are left out: no more values follow."""

    __tablename__ = "change_point_trials"

    id: Mapped[int] = mapped_column(primary_key=True)
    series_id: Mapped[int] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"), index=True)
    probability: Mapped[float]
    found_at: Mapped[datetime] = mapped_column(UtcDateTime)
    gone_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Time at which more values showed that there is no change."""
