# SPDX-License-Identifier: Apache-2.0
"""Tables: alerts, alert_states, alert_comments, alert_moves."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class AlertRow(Base):
    """A finding: what one commit did that somebody should look at. A commit has one at most."""

    __tablename__ = "alerts"
    __table_args__ = (Index(None, "project_id", "state"), UniqueConstraint("commit_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"), index=True)
    """The culprit."""
    after_commit_id: Mapped[int | None] = mapped_column(ForeignKey("commits.id", ondelete="SET NULL"))
    """Last commit known good; None: the culprit's parent."""
    state: Mapped[str] = mapped_column(String(16))
    kind: Mapped[str | None] = mapped_column(String(16))
    source: Mapped[str | None] = mapped_column(String(8))
    scenarios: Mapped[list[str]] = mapped_column(JSON)
    """Moved ones, by name."""
    muted: Mapped[bool] = mapped_column(server_default=false())
    """All that moved is muted: nobody is told."""
    scenario: Mapped[str | None] = mapped_column(String(64))
    """The one moved most; stage, metric, ratio and interval are those shown for it."""
    stage: Mapped[str | None] = mapped_column(String(64))
    """The stage that pays most; `chain` while that is not known."""
    metric: Mapped[str | None] = mapped_column(String(32))
    ratio: Mapped[float | None]
    """Of the chain in that scenario: after / before."""
    low: Mapped[float | None]
    high: Mapped[float | None]
    severity: Mapped[float | None]
    """nalm_core.findings.severity: what alerts are ordered by."""
    explanation: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """nalm_core.explain.Explanation, of the strongest evidence."""
    bound: Mapped[float | None]
    """Ratio up to which the change is expected."""
    reason: Mapped[str | None] = mapped_column(Text)
    """Why it is in its state."""
    assignee: Mapped[str | None] = mapped_column(String(128))
    confirmed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When a second measurement saw it too. None: none did."""
    measured_after: Mapped[int | None]
    """Commits after the culprit that were measured by then; nothing without confirmed_at."""
    fix_measured_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When a measured pair first showed that later commits undid it in every scenario."""
    recovery: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON(none_as_null=True))
    """nalm_core.findings.recovery.Recovery of each scenario; None: no fix was seen."""
    fixed_by_id: Mapped[int | None] = mapped_column(ForeignKey("commits.id", ondelete="SET NULL"))
    merged_into_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id", ondelete="SET NULL"))
    """The alert that has what this one had, since a bisect moved the culprit."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


class AlertStateRow(Base):
    """One step in an alert's life."""

    __tablename__ = "alert_states"

    id: Mapped[int] = mapped_column(primary_key=True)
    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"), index=True)
    state: Mapped[str] = mapped_column(String(16))
    at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    who: Mapped[str | None] = mapped_column(String(128))
    """Account or token; None: the server itself."""
    why: Mapped[str] = mapped_column(Text)
    notified: Mapped[bool] = mapped_column(server_default=false())
    """In the feed, and sent to each integration that wants it."""
    messages: Mapped[int | None]
    """How many were sent; None: of a step that is not told, or from before revision 0022."""


class AlertCommentRow(Base):
    __tablename__ = "alert_comments"

    id: Mapped[int] = mapped_column(primary_key=True)
    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"), index=True)
    who: Mapped[str] = mapped_column(String(128))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    text: Mapped[str] = mapped_column(Text)


class AlertMoveRow(Base):
    """What one look saw one series do at one commit, and what became of that. Kept also if nobody is told."""

    __tablename__ = "alert_moves"
    __table_args__ = (
        UniqueConstraint("commit_id", "scenario", "host_class", "stage", "metric", "source"),
        Index(None, "project_id", "commit_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    """The one suspected."""
    alert_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id", ondelete="SET NULL"), index=True)
    scenario: Mapped[str] = mapped_column(String(64))
    host_class: Mapped[str] = mapped_column(String(128))
    stage: Mapped[str] = mapped_column(String(64))
    metric: Mapped[str] = mapped_column(String(32))
    source: Mapped[str] = mapped_column(String(8))
    kind: Mapped[str] = mapped_column(String(16))
    ratio: Mapped[float]
    low: Mapped[float | None]
    high: Mapped[float | None]
    run_number: Mapped[int | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"), index=True)
    change_point_id: Mapped[int | None] = mapped_column(
        ForeignKey("change_points.id", ondelete="SET NULL"), index=True
    )
    fate: Mapped[str] = mapped_column(String(16))
    """alerts.fates.Fate."""
    at: Mapped[datetime] = mapped_column(UtcDateTime)
