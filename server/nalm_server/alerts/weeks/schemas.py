# SPDX-License-Identifier: Apache-2.0
"""Weeks as the API shows them."""

from __future__ import annotations

from datetime import date

from nalm_core.findings.overall_change import OverallChange, ScenarioChange

from nalm_server.base.schemas import Schema
from nalm_server.git.commits.schemas import CommitRef


class Week(Schema):
    week: str
    """ISO 8601, in UTC: `2026-W47`."""
    start: date
    """Its Monday."""
    commits: int
    """Commits of the default branch."""
    measured: int
    """Those with a pair that enters `overall`."""
    overall: OverallChange


class Weeks(Schema):
    weeks: list[Week]
    """Those with a commit, newest first."""
    before: str | None
    """`before` of the request for earlier weeks; null: there are none."""


class WeekCommit(CommitRef):
    overall: OverallChange | None
    """Null: not measured."""


class WeekDetail(Week):
    changes: list[WeekCommit]
    """Newest first."""
    scenarios: list[ScenarioChange]
    """By name."""
