# SPDX-License-Identifier: Apache-2.0
"""The cell of an experiment in a run report. The cells' reports alone are enough to fit the experiment.

A cell is two run definitions of one commit, measured side by side. They are the report's arms.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from nalm_core.report.terms import Model, Name

Tuning = Literal["f_t", "f_a", "f_s", "f_i"]
"""The quantity that a variant tunes (Wu et al., Eq. 3): computational scale, the part that is not parallel,
fixed overhead, or overhead that grows with the cores."""


class Kind(StrEnum):
    FEATURES = "features"
    """Feature sets: the cost of each feature."""
    ABLATION = "ablation"
    """Variants, each off and on: their effect, and on which chains."""
    MODELS = "models"
    """Chains under several execution models."""
    CORES = "cores"
    """A chain on several numbers of lcores, at full load: the speedup."""
    QUEUE = "queue"
    """A grid of queues and loads, beside the queue model."""
    FLOWS = "flows"
    """Several shares of new flows: what first packets cost, and what later ones do."""
    ROLES = "roles"
    """Splits of lcores between dispatch, workers and databases, predicted and measured."""


CellKind = Literal[Kind.FEATURES, Kind.ABLATION, Kind.MODELS]
"""Experiments that compare side by side, in cells."""
LoadKind = Literal[Kind.CORES, Kind.QUEUE, Kind.FLOWS, Kind.ROLES]
"""Experiments that put one run under load."""


def cell_kind(kind: Kind) -> CellKind | None:
    """None: an experiment under load."""
    if kind is Kind.FEATURES or kind is Kind.ABLATION or kind is Kind.MODELS:
        return kind
    return None


def load_kind(kind: Kind) -> LoadKind | None:
    """None: an experiment with cells."""
    if kind is Kind.CORES or kind is Kind.QUEUE or kind is Kind.FLOWS or kind is Kind.ROLES:
        return kind
    return None


class Use(StrEnum):
    """The purpose of a cell."""

    FIT = "fit"
    HELD_OUT = "held_out"
    """A feature set that is not fitted but predicted."""
    REFERENCE = "reference"
    """The reference against itself, which shows the drift of host and method."""
    VARIANT = "variant"


class ExperimentCell(Model):
    kind: CellKind
    name: Name
    """Unique in the experiment."""
    use: Use
    subject: Name
    """By kind: the scenario whose features are varied, the name of the ablation, or the chain."""
    base_variant: Name
    """Scenario, or execution model, of base."""
    head_variant: Name
    tuning: Tuning | None = None
    terms: list[list[Name]] = Field(default_factory=list)
    """In a feature experiment: features and pairs whose costs are fitted in addition to the bare chain's."""
    cells: list[Name]
    """All cells of the experiment in the order of measurement."""
