# SPDX-License-Identifier: Apache-2.0
"""Retention as the API shows and accepts it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from nalm_server.base.schemas import Schema, Whole

Days = Annotated[Whole, Field(ge=1, le=36_500)]


class RetentionKind(StrEnum):
    """Data that ages out. Runs, verdicts and series never do."""

    REPORTS = "reports"
    """Raw reports, except those of releases, regressions and improvements."""
    DELIVERIES = "deliveries"
    LOGS = "logs"
    """Log tails of ended jobs."""


class Rules(Schema):
    report_days: Days
    log_days: Days


class Amount(Schema):
    kind: RetentionKind
    number: int
    bytes: int


class Removed(Amount):
    """Total that aged out of one kind."""

    last_at: datetime


class Retention(Schema):
    rules: Rules
    own: bool
    """False: the server's settings apply."""
    due: list[Amount]
    """What the next sweep removes."""
    removed: list[Removed]
