# SPDX-License-Identifier: Apache-2.0
"""Remeasurements as the API shows them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from nalm_server.base.schemas import Schema


class RemeasurementState(StrEnum):
    """running -> one of the others."""

    RUNNING = "running"
    HELD = "held"
    """The comparison shows the change, and raised an alert like any other."""
    DISCARDED = "discarded"
    """The comparison does not show it."""
    UNDECIDED = "undecided"
    """Neither: the next values of the history decide."""
    NOT_MEASURED = "not_measured"
    """Its job ended without a result, or later values decided first."""
    CANCELLED = "cancelled"


class Remeasurement(Schema):
    """The newest commit of a history, measured again because its value alone moved."""

    id: int
    project: str
    state: RemeasurementState
    scenario: str
    metrics: list[str]
    """Metrics whose newest value moved."""
    base_sha: str
    """The last commit of the old level."""
    head_sha: str
    """The commit that is suspected."""
    job_id: int | None
    run_id: str | None
    message: str | None
    requested_by: str
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
