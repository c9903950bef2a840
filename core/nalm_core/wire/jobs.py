# SPDX-License-Identifier: Apache-2.0
"""What a server gives an agent: credentials, and jobs."""

from __future__ import annotations

from pydantic import BaseModel

from nalm_core.report.cell import Kind


class LeasedExperiment(BaseModel):
    """Cells to be measured, as nalm.toml of the commit has them."""

    id: int
    kind: Kind
    names: list[str]
    seed: int


class Lease(BaseModel):
    """A job, as the server hands it out."""

    job_id: int
    fence: int
    project: str
    repository: str
    base_sha: str
    head_sha: str
    reason: str
    lease_seconds: float
    scenarios: list[str] | None = None
    """Measure only these; None: all that nalm.toml has measured by default."""
    measured: list[str] = []
    """Scenarios whose result the server has."""
    budget_seconds: float | None = None
    """Time for the rounds of a scenario; None: as nalm.toml says."""
    experiment: LeasedExperiment | None = None
    """To be measured in place of the scenarios."""
    control: bool = False
    """Measure although the code is equal."""


class Registered(BaseModel):
    """What an invitation is exchanged for."""

    name: str
    pool: str
    token: str
    broker_url: str | None = None
