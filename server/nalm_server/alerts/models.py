# SPDX-License-Identifier: Apache-2.0
"""Tables: alerts, alert_states, alert_comments, alert_moves."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class AlertRow(Base):
    """A finding: a change by one commit that people should examine. A commit has at most one."""

    __tablename__ = "alerts"
    __table_args__ = (Index(None, "project_id", "state"), UniqueConstraint("commit_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"), index=True)
    """The culprit."""
    after_commit_id: Mapped[int | None] = mapped_column(ForeignKey("commits.id", ondelete="SET NULL"))
    """Last good commit; None: the culprit's parent."""
    drift_end_id: Mapped[int | None] = mapped_column(ForeignKey("commits.id", ondelete="SET NULL"))
    """Last commit of a drift, which begins after `after_commit_id`; None: one commit is the culprit."""
    state: Mapped[str] = mapped_column(String(16))
    kind: Mapped[str | None] = mapped_column(String(16))
    source: Mapped[str | None] = mapped_column(String(8))
    scenarios: Mapped[list[str]] = mapped_column(JSON)
    """Scenarios that moved, by name."""
    muted: Mapped[bool] = mapped_column(server_default=false())
    """All that moved is muted: no notification is sent."""
    scenario: Mapped[str | None] = mapped_column(String(64))
    """The scenario that moved most; stage, metric, ratio and interval are of it."""
    stage: Mapped[str | None] = mapped_column(String(64))
    """The stage that pays most; `chain` while it is unknown."""
    metric: Mapped[str | None] = mapped_column(String(32))
    ratio: Mapped[float | None]
    """The metric in that scenario: after / before. None: from or to 0."""
    low: Mapped[float | None]
    high: Mapped[float | None]
    severity: Mapped[float | None]
    """nalm_core.findings.severity: the order of alerts."""
    explanation: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """nalm_core.explain.Explanation, from the strongest evidence."""
    bound: Mapped[float | None]
    """Largest expected ratio."""
    reason: Mapped[str | None] = mapped_column(Text)
    """Why the alert is in its state."""
    assignee: Mapped[str | None] = mapped_column(String(128))
    confirmed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Time at which a second measurement showed it, too. None: none did."""
    measured_after: Mapped[int | None]
    """Number of commits measured after the culprit until confirmed_at; None without it."""
    fix_measured_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Time at which a measured pair first showed it undone in every scenario."""
    recovery: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON(none_as_null=True))
    """nalm_core.findings.recovery.Recovery of each scenario; None: there is no fix."""
    fixed_by_id: Mapped[int | None] = mapped_column(ForeignKey("commits.id", ondelete="SET NULL"))
    merged_into_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id", ondelete="SET NULL"))
    """The alert into which a bisect merged this one, by moving its culprit."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    undo: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    """What the last change by a person replaced (triage.undo); None: there is nothing to undo."""


class AlertStateRow(Base):
    """One step in an alert's history."""

    __tablename__ = "alert_states"

    id: Mapped[int] = mapped_column(primary_key=True)
    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"), index=True)
    state: Mapped[str] = mapped_column(String(16))
    at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    who: Mapped[str | None] = mapped_column(String(128))
    """Account or token; None: the server itself."""
    why: Mapped[str] = mapped_column(Text)
    notified: Mapped[bool] = mapped_column(server_default=false())
    """In the feed, and sent to each integration that subscribes to it."""
    messages: Mapped[int | None]
    """Number of messages sent; None: the step is not sent, or is from before revision 0022."""


class AlertCommentRow(Base):
    __tablename__ = "alert_comments"

    id: Mapped[int] = mapped_column(primary_key=True)
    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"), index=True)
    who: Mapped[str] = mapped_column(String(128))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    text: Mapped[str] = mapped_column(Text)


class AlertMoveRow(Base):
    """The move of one series at one commit, by one kind of search, and its fate. Kept without an alert,
    too."""

    __tablename__ = "alert_moves"
    __table_args__ = (
        UniqueConstraint("commit_id", "scenario", "host_class", "stage", "metric", "source"),
        Index(None, "project_id", "commit_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commits.id", ondelete="CASCADE"))
    """The suspected commit."""
    alert_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id", ondelete="SET NULL"), index=True)
    scenario: Mapped[str] = mapped_column(String(64))
    host_class: Mapped[str] = mapped_column(String(128))
    stage: Mapped[str] = mapped_column(String(64))
    metric: Mapped[str] = mapped_column(String(32))
    source: Mapped[str] = mapped_column(String(8))
    kind: Mapped[str] = mapped_column(String(16))
    ratio: Mapped[float | None]
    """None: from or to 0, or a stage that pays without a figure of its own."""
    low: Mapped[float | None]
    high: Mapped[float | None]
    run_number: Mapped[int | None] = mapped_column(ForeignKey("runs.id", ondelete="SET NULL"), index=True)
    change_point_id: Mapped[int | None] = mapped_column(
        ForeignKey("change_points.id", ondelete="SET NULL"), index=True
    )
    fate: Mapped[str] = mapped_column(String(16))
    """alerts.fates.Fate."""
    at: Mapped[datetime] = mapped_column(UtcDateTime)
