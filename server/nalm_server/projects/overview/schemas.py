# SPDX-License-Identifier: Apache-2.0
"""The overview as the API shows it."""

from __future__ import annotations

from datetime import datetime

from nalm_server.alerts.schemas import Alert
from nalm_server.alerts.states import AlertState
from nalm_server.base.schemas import Schema


class AlertChange(Schema):
    """The last change of an alert's state."""

    alert: Alert
    state: AlertState
    at: datetime
    who: str | None
    """Null: the server itself."""
    why: str


class Judged(Schema):
    """Number of a project's new runs, by displayed outcome."""

    project: str
    display: str
    runs: int


class TrendPoint(Schema):
    week: str
    """ISO 8601, in UTC: `2026-W47`."""
    level: float
    """Product of the overall changes of the weeks up to and with this one."""


class Trend(Schema):
    """Cycles per packet of a project over all scenarios, week by week."""

    project: str
    points: list[TrendPoint]
    """The last weeks that were measured, at most 13, oldest first."""


class Overview(Schema):
    at: datetime
    """Time of this overview; later events are not in it."""
    since: datetime
    """Start of `changes` and `judged`."""
    alerts: list[Alert]
    """Open alerts by severity, at most 10, without muted ones."""
    alerts_open: int
    changes: list[AlertChange]
    """Newest first, each alert once, at most 20."""
    changed: int
    """Number of alerts whose state changed since then."""
    judged: list[Judged]
    """By project."""
    trends: list[Trend]
    """By project, of those with a measured week."""
    jobs_waiting: int
