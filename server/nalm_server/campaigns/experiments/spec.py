# SPDX-License-Identifier: Apache-2.0
"""Spec and result of an experiment as a campaign."""

from __future__ import annotations

from typing import Any

from nalm_core.report.cell import Kind, load_kind
from nalm_core.wire.load_parameters import NO_PARAMETERS, LoadParameters
from pydantic import BaseModel

from nalm_server.jobs.models import CampaignRow

KIND = "experiment"
UNDER_LOAD = frozenset(kind for kind in Kind if load_kind(kind) is not None)
"""Kinds without cells: their jobs end with the result."""


class ExperimentSpec(BaseModel):
    sha: str
    kind: Kind
    names: list[str]
    """Tables of nalm.toml; empty: all of the kind."""
    seed: int
    cell_seconds: float | None = None
    """Seconds for the rounds of a cell; None: the agent's default."""
    parameters: LoadParameters = NO_PARAMETERS
    """Of an experiment under load."""


class ExperimentResult(BaseModel):
    host_class: str | None = None
    """Host class of the first cell; cells of another class are unusable."""
    fitted_cells: int = 0
    """Number of cells in `document`."""
    document: dict[str, Any] | None = None
    """campaigns.experiments.schemas.ExperimentDocument."""


def spec_of(campaign: CampaignRow) -> ExperimentSpec:
    return ExperimentSpec.model_validate(campaign.spec)


def result_of(campaign: CampaignRow) -> ExperimentResult:
    return ExperimentResult.model_validate(campaign.result)


def note(campaign: CampaignRow, **result: Any) -> None:
    campaign.result = {**result_of(campaign).model_dump(), **result}
