# SPDX-License-Identifier: Apache-2.0
"""What an experiment notes of itself as a campaign."""

from __future__ import annotations

from typing import Any

from nalm_core.report.cell import Kind
from pydantic import BaseModel

from nalm_server.jobs.models import CampaignRow

KIND = "experiment"


class ExperimentSpec(BaseModel):
    sha: str
    kind: Kind
    names: list[str]
    """Of nalm.toml's tables; none: all of the kind."""
    seed: int
    cell_seconds: float | None = None
    """Time for the rounds of a cell; None: the agent's own."""


class ExperimentResult(BaseModel):
    host_class: str | None = None
    """Of its first cell; those of another class take no part."""
    fitted_cells: int = 0
    """How many cells `document` was made of."""
    document: dict[str, Any] | None = None
    """nalm_core.experiments.result.Result."""


def spec_of(campaign: CampaignRow) -> ExperimentSpec:
    return ExperimentSpec.model_validate(campaign.spec)


def result_of(campaign: CampaignRow) -> ExperimentResult:
    return ExperimentResult.model_validate(campaign.result)


def note(campaign: CampaignRow, **result: Any) -> None:
    campaign.result = {**result_of(campaign).model_dump(), **result}
