# SPDX-License-Identifier: Apache-2.0
"""What came of an experiment, as it is stored and shown."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from nalm_core.features.cost_model import CostModel
from nalm_core.report.cell import Tuning
from nalm_core.report.run_report import Model, Name
from nalm_core.verdict.change import Figure


class FeaturePrice(Model):
    """What the feature adds to the reference without it."""

    feature: Name
    in_reference: bool
    cycles: float
    """Cycles per packet; low and high: its interval at defaults.CONFIDENCE."""
    low: float | None
    high: float | None
    pps: float
    """Packets per second that a busy lcore forwards more or less with it: Eq. 6 with CUR = 1."""
    pps_low: float | None
    pps_high: float | None
    stages: dict[str, float]
    """Cycles per packet by the stage that pays them; they add up to `cycles`."""


class Prediction(Model):
    """A feature set's cost by a model that was fitted without it."""

    features: list[Name]
    measured: float
    """Cycles per packet, on the reference's scale."""
    predicted: float
    error: float
    """predicted / measured - 1."""
    held_out: bool
    """False: it was left out of a fit that otherwise has it."""


class Drift(Model):
    """The reference against itself, in the order measured."""

    cell: Name
    cpp: float
    ratio: float
    """1 but for the noise."""
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
    """Root mean square of the relative errors when each fitted set is left out in turn; None where a set is
    needed by its term."""
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
    """Of a busy lcore: Eq. 6 with CUR = 1."""
    stages_base: dict[str, float]
    stages_head: dict[str, float]


class Contribution(Model):
    """What a variant brings, chain by chain."""

    name: Name
    tuning: Tuning | None
    chains: list[Compared]
    """Base: off, head: on. The first is the one it was made for."""
    reach: list[Name]
    """Chains it makes cheaper, at REACH_ALPHA over all its chains (Holm)."""
    harms: list[Name]
    """Chains it makes dearer."""


class ModelRow(Model):
    """A chain under one execution model."""

    chain: Name
    model: Name
    figure: Figure
    pps: float
    stages: dict[str, float]
    ratio_cpp: float | None
    """Against the chain's first model; None for that one itself."""
    low: float | None
    high: float | None


class _Result(Model):
    cells: int
    """Planned."""
    taken: int
    """Cells that gave a ratio."""
    partial: bool
    """Some cells are missing, or gave none."""
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
