# SPDX-License-Identifier: Apache-2.0
"""Refinements, and their standing plan."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from nalm_core.pooling.constants import MIN_MARGIN
from pydantic import Field

from nalm_server.base.schemas import Schema, Whole
from nalm_server.campaigns.backfill.schemas import Progress

FineMargin = Annotated[float, Field(ge=MIN_MARGIN, lt=1)]


class RefinementState(StrEnum):
    """planning -> running -> one of the others."""

    PLANNING = "planning"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class RefinementPlanNew(Schema):
    minutes_per_day: Annotated[Whole, Field(ge=0, le=1440)] = Field(
        description="Time of hosts for it each day; 0: none."
    )
    margin: FineMargin = Field(default=0.002, description="Relative change to which pairs are measured on.")


class RefinementPlan(Schema):
    """The standing plan of a project: what idle hosts measure on."""

    minutes_per_day: int
    margin: float
    next_at: datetime | None
    """Time from which the next ones are planned, when no job waits; null: never."""


class RefinedPair(Schema):
    base_sha: str
    head_sha: str
    scenario: str
    launches: int
    """Launches of its pool when it was planned."""


class Refinement(Schema):
    id: int
    project: str
    margin: float
    state: RefinementState
    progress: Progress
    pairs: list[RefinedPair]
    """The planned ones, in order; empty in lists."""
    message: str | None
    requested_by: str
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
