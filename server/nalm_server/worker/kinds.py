# SPDX-License-Identifier: Apache-2.0
"""Kinds of background work."""

from __future__ import annotations

from enum import StrEnum


class Work(StrEnum):
    DELIVERIES = "deliveries"
    """Webhook deliveries taken, to be turned into commits and jobs."""
    RECONCILE = "reconcile"
    """Branches, tags and pull requests compared with what is known: what no webhook told of."""
    SCHEDULE = "schedule"
    """Scheduled runs that are due."""
    JOBS = "jobs"
    """Lost leases, superseded jobs, bisects and backfills to be taken a step further, pools to be woken."""
    NOTIFICATIONS = "notifications"
    """Statuses, comments, mail and webhooks to be sent, and to be tried again."""
    CONTROLS = "controls"
    """Code to be measured against itself."""
    RETENTION = "retention"
    """What has outlived its project's rules."""
    REPORTS = "reports"
    """Reports to be moved into the report store, and those to be removed from it."""
    JUDGEMENT = "judgement"
    """Histories in which something changed, to be looked at for change points."""
