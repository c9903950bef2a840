# SPDX-License-Identifier: Apache-2.0
"""Measured runs as inputs of models. The models' own documents are core's."""

from __future__ import annotations

from nalm_core.models.documents.capacity import HostChip
from nalm_core.models.documents.queue import MeasuredBatches
from nalm_core.models.documents.roles import RoleWork
from nalm_core.models.documents.speedup import MeasuredRates

from nalm_server.base.schemas import Schema
from nalm_server.git.commits.schemas import CommitRef


class PredictableRun(Schema):
    """A run from which models can take their inputs."""

    run_id: str
    scenario: str
    host_class: str
    model: str
    """Execution model."""
    lcores: int
    cpp: float
    """Cycles per packet."""
    pps: float | None


class Predictable(Schema):
    commit: CommitRef
    runs: list[PredictableRun]
    """The newest of each scenario on each host class, by scenario."""


class ScenarioBound(Schema):
    """The bound of one scenario's rate on its host, beside the measured rate."""

    run_id: str
    scenario: str
    host_class: str
    lcores: int
    measured_pps: float | None
    bounds_pps: dict[str, float]
    """By resource; empty: see `missing`."""
    bottleneck: str | None
    """The resource that binds."""
    share: float | None
    """Measured / the least bound."""
    notes: list[str]
    """What was assumed, and resources of which nothing is known."""
    missing: str | None
    """Why there is no bound."""


class Bounds(Schema):
    commit: CommitRef
    scenarios: list[ScenarioBound]
    """The newest run of each scenario on each host class, by scenario."""
    assumes: str
    notes: list[str]
    """Those of the scenarios, each once."""


class ModelInputs(Schema):
    """What the models take from one run, of head. An input that the run cannot give is null."""

    run_id: str
    scenario: str
    host_class: str
    model: str
    """Execution model."""
    lcores: int
    load: str
    """closed: the generator offers what the NF takes; open: a fixed rate."""
    frequency_hz: int
    """Of the TSC, in whose cycles CPP is."""
    cpp: float
    pps: float | None
    stages: dict[str, float]
    """CPP by stage."""
    work: RoleWork | None
    """Cycles of each role of a pipeline."""
    demand: dict[str, float] | None
    """Instructions and cache misses of a packet."""
    supply: HostChip | None
    """What the run's host delivers per second, as `nalm doctor` measured it."""
    l1d_bytes: int | None
    batches: MeasuredBatches | None
    """Of all lcores; size 0: polls that found nothing."""
    rates: list[MeasuredRates]
    """Packets/s of each launch of scenarios of this commit that differ from this run's in their number of
    lcores alone, and of this run."""
    missing: dict[str, str]
    """Why an input is null, by field."""
