# SPDX-License-Identifier: Apache-2.0
"""Backfills as the API shows and accepts them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from nalm_server.base.schemas import Schema, Whole
from nalm_server.jobs.schemas import Revision, Scenarios


class BackfillState(StrEnum):
    """planning -> running -> one of the others."""

    PLANNING = "planning"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class BackfillNew(Schema):
    first: Revision = Field(description="Base of the first step; not measured itself.")
    last: Revision
    every: Annotated[Whole, Field(ge=1, le=10_000)] = 1
    scenarios: Scenarios | None = None


class Progress(Schema):
    """Number of steps by state."""

    total: int
    waiting: int
    queued: int
    reused: int
    done: int
    failed: int


class Backfill(Schema):
    id: int
    project: str
    first_sha: str
    last_sha: str
    every: int
    scenarios: list[str] | None
    state: BackfillState
    progress: Progress
    message: str | None
    requested_by: str
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
