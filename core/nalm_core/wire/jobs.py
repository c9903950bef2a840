# SPDX-License-Identifier: Apache-2.0
"""A server's answers to an agent: credentials and jobs."""

from __future__ import annotations

from pydantic import BaseModel

from nalm_core.report.cell import Kind
from nalm_core.wire.load_parameters import NO_PARAMETERS, LoadParameters


class LeasedExperiment(BaseModel):
    """Cells, or tables of loads, to measure, as the commit's nalm.toml defines them."""

    id: int
    kind: Kind
    names: list[str]
    seed: int
    parameters: LoadParameters = NO_PARAMETERS
    """Of an experiment under load, in place of the defaults."""


class Lease(BaseModel):
    """A job with its lease."""

    job_id: int
    fence: int
    project: str
    repository: str
    base_sha: str
    head_sha: str
    reason: str
    lease_seconds: float
    scenarios: list[str] | None = None
    """Measure only these; None: all scenarios that nalm.toml measures by default."""
    measured: list[str] = []
    """Scenarios whose results the server has."""
    budget_seconds: float | None = None
    """Time for the rounds of a scenario; None: that of nalm.toml. Rates and soaks grow in proportion."""
    experiment: LeasedExperiment | None = None
    """Measure these cells instead of the scenarios."""
    branch: str | None = None
    """The branch that the head is on, or goes into; None: unknown."""
    configuration: str | None = None
    """A nalm.toml in place of the commits' own; None: each commit has its own."""
    margin: float | None = None
    """Relative change of cycles that matters; None: that of nalm.toml."""
    control: bool = False
    """Measure even if the code is equal."""
    report_bytes: int | None = None
    """Largest run report that the server takes; None: it does not say."""


class Registered(BaseModel):
    """The answer to an invitation."""

    name: str
    pool: str
    token: str
    broker_url: str | None = None
