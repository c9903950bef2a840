# SPDX-License-Identifier: Apache-2.0
"""Kinds of background work."""

from __future__ import annotations

from enum import StrEnum


class Work(StrEnum):
    DELIVERIES = "deliveries"
    """Stored webhook deliveries, which become commits and jobs."""
    RECONCILE = "reconcile"
    """Polling: repositories and forges, for what no webhook reported."""
    SCHEDULE = "schedule"
    """Scheduled runs that are due."""
    JOBS = "jobs"
    """Expired leases, superseded jobs, next steps of campaigns, pools to wake."""
    NOTIFICATIONS = "notifications"
    """Statuses, comments, mail and webhooks to send or retry."""
    CONTROLS = "controls"
    """Controls that are due."""
    RETENTION = "retention"
    """Data past its project's retention."""
    REPORTS = "reports"
    """Reports to move into the report store, and to remove from it."""
    JUDGEMENT = "judgement"
    """Changed histories, to search for change points."""
    WEEKS = "weeks"
    """Weeks whose commits or verdicts changed, to compute their overall change."""
