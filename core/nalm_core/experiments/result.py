# SPDX-License-Identifier: Apache-2.0
"""The result of an experiment, as it is stored and shown."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from nalm_core.features.cost_model import CostModel
from nalm_core.report.cell import Tuning
from nalm_core.report.run_report import Model, Name
from nalm_core.verdict.change import Figure


class FeaturePrice(Model):
    """Cost that the feature adds to the reference without it."""

    feature: Name
    in_reference: bool
    cycles: float
    """Cycles per packet; low and high: its interval at defaults.CONFIDENCE."""
    low: float | None
    high: float | None
    pps: float
    """Change of the packets per second that a busy lcore forwards: Eq. 6 with CUR = 1."""
    pps_low: float | None
    pps_high: float | None
    stages: dict[str, float]
    """Cycles per packet by stage; they add up to `cycles`."""


class Prediction(Model):
    """A feature set's cost by a model that was fitted without it."""

    features: list[Name]
    measured: float
    """Cycles per packet, on the reference's scale."""
    predicted: float
    error: float
    """predicted / measured - 1."""
    held_out: bool
    """False: the set is fitted, and was left out for this prediction only."""


class Drift(Model):
    """The reference against itself, in the order of measurement."""

    cell: Name
    cpp: float
    ratio: float
    """1 apart from noise."""
    low: float
    high: float


class FeatureFit(Model):
    """One scenario's features."""

    scenario: Name
    reference: list[Name]
    reference_cpp: float
    tsc_hz: int
    model: CostModel | None
    refused: str | None
    """Why there is no model."""
    prices: list[FeaturePrice]
    stages: dict[str, float]
    """Cycles per packet of each stage of the reference."""
    predictions: list[Prediction]
    left_out_error: float | None
    """Root mean square of the relative errors of fitted sets that are left out in turn; None if every set is
    needed for its term."""
    lack_of_fit: float | None
    drift: list[Drift]
    notes: list[str]


class Compared(Model):
    """Two variants side by side."""

    chain: Name
    """The scenario, or chain, of base."""
    base_variant: Name
    head_variant: Name
    base: Figure
    head: Figure
    ratio_cpp: float
    """head / base, and its interval."""
    low: float
    high: float
    p_value: float
    base_pps: float
    head_pps: float
    """Packets per second of a busy lcore: Eq. 6 with CUR = 1."""
    stages_base: dict[str, float]
    stages_head: dict[str, float]


class Contribution(Model):
    """Effect of a variant on each chain."""

    name: Name
    tuning: Tuning | None
    chains: list[Compared]
    """Base: off, head: on. The first chain is the one that the variant was made for."""
    reach: list[Name]
    """Chains that the variant makes faster, at REACH_ALPHA over all its chains (Holm)."""
    harms: list[Name]
    """Chains that the variant makes slower."""


class ModelRow(Model):
    """A chain under one execution model."""

    chain: Name
    model: Name
    figure: Figure
    pps: float
    stages: dict[str, float]
    ratio_cpp: float | None
    """Relative to the chain's first model; None for the first model itself."""
    low: float | None
    high: float | None


class _Result(Model):
    cells: int
    """Number of planned cells."""
    taken: int
    """Number of cells that gave a ratio."""
    partial: bool
    """True if cells are missing or gave no ratio."""
    unusable: dict[str, str]
    """Cells that gave no ratio, each with the reason."""


class FeaturesResult(_Result):
    kind: Literal["features"] = "features"
    fits: list[FeatureFit]


class AblationResult(_Result):
    kind: Literal["ablation"] = "ablation"
    contributions: list[Contribution]


class ModelsResult(_Result):
    kind: Literal["models"] = "models"
    rows: list[ModelRow]


Result = Annotated[FeaturesResult | AblationResult | ModelsResult, Field(discriminator="kind")]
