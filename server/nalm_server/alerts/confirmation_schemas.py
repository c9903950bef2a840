# SPDX-License-Identifier: Apache-2.0
"""The confirmation of an alert as the API shows it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from nalm_core.findings.confirmation import Where

from nalm_server.base.schemas import Schema, former_name


class PlanState(StrEnum):
    """waiting -> measuring or bisecting -> one of the others; back to waiting when it is asked for again."""

    WAITING = "waiting"
    """For the rest of the run that raised it, or for room in the queue."""
    MEASURING = "measuring"
    BISECTING = "bisecting"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    INCONCLUSIVE = "inconclusive"
    """Measured again, it is neither there nor not there: nobody is told, its page says so."""
    CLOSED = "closed"
    """Somebody decided what the alert is before it was measured again."""


ACTIVE = (PlanState.WAITING, PlanState.MEASURING, PlanState.BISECTING)


class Remeasurement(StrEnum):
    """How a finding is looked at again."""

    SAME = Where.SAME.value
    OTHER = Where.OTHER.value
    INSTEAD = Where.INSTEAD.value
    BISECT = "bisect"


class Confirmation(Schema):
    """One scenario measured again, or the bisect of what lies between two measured commits."""

    scenario: str
    remeasurement: Remeasurement
    first_host: str | None
    """Where it was seen first."""
    host: str | None
    """Where it was measured again; null: nowhere yet."""
    job_id: int | None
    bisect_id: int | None
    budget_seconds: float | None
    """Null: as nalm.toml says."""
    run_id: str | None
    outcome: str | None
    """The verdict's; `lost`: the job ended without one; null: still to come."""
    ratio: float | None
    low: float | None
    high: float | None
    level: float | None
    why: str | None
    requested_at: datetime
    answered_at: datetime | None
    wanted: ClassVar[Any] = former_name("remeasurement", Remeasurement)
    asked_at: ClassVar[Any] = former_name("requested_at", datetime)


class Confirming(Schema):
    """Where an alert stands between being seen and being told."""

    state: PlanState
    why: str | None
    base_sha: str
    head_sha: str
    reproduced_on: list[str]
    """Hosts where the second measurement shows it."""
    not_reproduced_on: list[str]
    """Hosts where it does not: with `reproduced_on` not empty it is specific to hosts."""
    host_specific: bool
    gradual: bool
    """It lies between base and head, in no single commit."""
    measurements: list[Confirmation]
    """In the order in which they were asked for."""
    updated_at: datetime
    finished_at: datetime | None
    seen_on: ClassVar[Any] = former_name("reproduced_on", list[str])
    not_seen_on: ClassVar[Any] = former_name("not_reproduced_on", list[str])
