# SPDX-License-Identifier: Apache-2.0
"""What a run report says of the cell of an experiment that it holds: enough to fit the whole from reports.

A cell is two run definitions of one commit measured side by side. The report's arms say what they are.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from nalm_core.report.terms import Model, Name

Tuning = Literal["f_t", "f_a", "f_s", "f_i"]
"""What a variant tunes (Wu et al., Eq. 3): computational scale, part that is not parallel, fixed overhead,
overhead that grows with the cores."""


class Kind(StrEnum):
    FEATURES = "features"
    """Feature sets: what each feature costs."""
    ABLATION = "ablation"
    """Variants, each off and on: what it contributes, and to which chains."""
    MODELS = "models"
    """Chains under several execution models."""


class Use(StrEnum):
    """What a cell is for."""

    FIT = "fit"
    HELD_OUT = "held_out"
    """A feature set that must be predicted."""
    REFERENCE = "reference"
    """The reference against itself: how far host and method move."""
    VARIANT = "variant"


class ExperimentCell(Model):
    kind: Kind
    name: Name
    """Unique in the experiment."""
    use: Use
    subject: Name
    """The scenario whose features are varied; the name of the ablation; the chain."""
    base_variant: Name
    """Scenario, or execution model, of base."""
    head_variant: Name
    tuning: Tuning | None = None
    terms: list[list[Name]] = Field(default_factory=list)
    """Of a feature experiment: features and pairs whose costs are fitted beside the bare chain's."""
    cells: list[Name]
    """Every cell of the experiment, in the order in which they are measured."""
