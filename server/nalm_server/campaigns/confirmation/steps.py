# SPDX-License-Identifier: Apache-2.0
"""Spec, result and details of steps of a confirmation."""

from __future__ import annotations

from typing import Any

from nalm_core.findings.confirmation import Ratio
from nalm_core.findings.figure import Figure
from pydantic import AliasChoices, BaseModel, Field

from nalm_server.alerts.confirmation_schemas import Remeasurement
from nalm_server.campaigns.models import StepRow


class ConfirmationResult(BaseModel):
    base_sha: str
    """The last good commit."""
    head_sha: str
    """The commit with the change."""
    reproduced_on: list[str] = Field([], validation_alias=AliasChoices("reproduced_on", "seen_on"))
    """Hosts where the second measurement shows the change."""
    not_reproduced_on: list[str] = Field(
        [], validation_alias=AliasChoices("not_reproduced_on", "not_seen_on")
    )
    """Hosts where it does not."""
    gradual: bool = False
    """The change lies between base and head, but in no single commit."""


class StepDetail(BaseModel):
    remeasurement: Remeasurement = Field(validation_alias=AliasChoices("remeasurement", "wanted"))
    first_host: str | None = None
    """Host that saw it first; None: unknown, any host may measure it."""
    figures: list[Figure] = []
    """Those that decide, the first first; none: the run's outcome."""
    metric: str | None = None
    """The figure that decided; None: the run's outcome, or still open."""
    stage: str | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None


def detail_of(step: StepRow) -> StepDetail:
    return StepDetail.model_validate(step.detail)


def note(step: StepRow, **changes: Any) -> None:
    step.detail = {**step.detail, **changes}


def is_bisect(step: StepRow) -> bool:
    return detail_of(step).remeasurement is Remeasurement.BISECT


def scenario_of(step: StepRow) -> str:
    """Every step of a confirmation has a scenario."""
    return step.scenario or ""


def ratio_of(step: StepRow) -> Ratio | None:
    """The ratio of the chain's cycles; None for another figure, whose interval gives no standard error."""
    detail = detail_of(step)
    if (
        detail.metric is not None
        or detail.ratio is None
        or detail.low is None
        or detail.high is None
        or detail.level is None
    ):
        return None
    return Ratio(detail.ratio, detail.low, detail.high, detail.level)
