# SPDX-License-Identifier: Apache-2.0
"""ISO 8601 weeks in UTC: `2026-W47`. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

WEEK = timedelta(days=7)


def start_of(at: datetime) -> datetime:
    """Monday, 00:00 UTC, of the week."""
    day = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())


def name_of(start: datetime) -> str:
    year, week, _ = start.isocalendar()
    return f"{year}-W{week:02}"


def parse(name: str) -> datetime:
    """The start of a week. Raises ValueError for a week that the year does not have."""
    year, week = name.split("-W")
    return datetime.fromisocalendar(int(year), int(week), 1).replace(tzinfo=UTC)
