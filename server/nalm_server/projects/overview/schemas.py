# SPDX-License-Identifier: Apache-2.0
"""The overview as the API shows it."""

from __future__ import annotations

from datetime import datetime

from nalm_server.alerts.schemas import Alert
from nalm_server.alerts.states import AlertState
from nalm_server.base.schemas import Schema


class AlertChange(Schema):
    """The last step that an alert took."""

    alert: Alert
    state: AlertState
    at: datetime
    who: str | None
    """Null: the server itself."""
    why: str


class Judged(Schema):
    """Runs of a project that came in, by what is shown of their verdict."""

    project: str
    display: str
    runs: int


class Overview(Schema):
    at: datetime
    """When this was so; what comes later is not in it."""
    since: datetime
    """From when on `changes` and `judged` are."""
    alerts: list[Alert]
    """Open ones by worth, 10 at most; muted ones apart."""
    alerts_open: int
    changes: list[AlertChange]
    """Newest first, each alert once, 20 at most."""
    changed: int
    """Alerts that took a step since then."""
    judged: list[Judged]
    """By project."""
    jobs_waiting: int
