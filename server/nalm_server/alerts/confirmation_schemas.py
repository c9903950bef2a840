# SPDX-License-Identifier: Apache-2.0
"""The confirmation of an alert as the API shows it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from nalm_core.findings.confirmation import Where

from nalm_server.base.schemas import Schema, former_name


class PlanState(StrEnum):
    """waiting -> measuring or bisecting -> one of the others; back to waiting when it is requested again."""

    WAITING = "waiting"
    """It waits for the rest of the run that raised the alert, or for room in the queue."""
    MEASURING = "measuring"
    BISECTING = "bisecting"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    INCONCLUSIVE = "inconclusive"
    """The second measurement neither shows nor excludes the change: no notification, its page says so."""
    CLOSED = "closed"
    """A person decided the alert before it was measured again."""


ACTIVE = (PlanState.WAITING, PlanState.MEASURING, PlanState.BISECTING)


class Remeasurement(StrEnum):
    """How a finding is measured again."""

    SAME = Where.SAME.value
    OTHER = Where.OTHER.value
    INSTEAD = Where.INSTEAD.value
    BISECT = "bisect"


class Confirmation(Schema):
    """One scenario measured again, or the bisect of what lies between two measured commits."""

    scenario: str
    remeasurement: Remeasurement
    first_host: str | None
    """Host that saw the change first."""
    host: str | None
    """Host that measured it again; null: none yet."""
    job_id: int | None
    bisect_id: int | None
    budget_seconds: float | None
    """Seconds for the rounds; null: as nalm.toml says."""
    run_id: str | None
    outcome: str | None
    """The outcome of the alert's figure, of cycles the verdict's; `lost`: the job ended without one; null:
    still open."""
    metric: str | None
    """The figure whose outcome, ratio and interval these are; null: the run's, by its cycles, or still
    open."""
    stage: str | None
    """The figure's stage; null: the chain, or the whole NF."""
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
    """State of an alert's second measurement, before the alert is sent."""

    state: PlanState
    why: str | None
    base_sha: str
    head_sha: str
    reproduced_on: list[str]
    """Hosts where the second measurement shows the change."""
    not_reproduced_on: list[str]
    """Hosts where it does not. If `reproduced_on` is not empty, the change is specific to hosts."""
    host_specific: bool
    gradual: bool
    """The change lies between base and head, but in no single commit."""
    measurements: list[Confirmation]
    """In the order of the requests."""
    updated_at: datetime
    finished_at: datetime | None
    seen_on: ClassVar[Any] = former_name("reproduced_on", list[str])
    not_seen_on: ClassVar[Any] = former_name("not_reproduced_on", list[str])
