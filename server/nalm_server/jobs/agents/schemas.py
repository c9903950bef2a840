# SPDX-License-Identifier: Apache-2.0
"""What agents send and receive."""

from __future__ import annotations

from typing import Annotated, Literal

from nalm_core.rates.experiments.load_experiments import LoadResult
from nalm_core.report.cell import Kind
from nalm_core.text.plain_text import plain
from nalm_core.wire.load_parameters import NO_PARAMETERS, LoadParameters
from pydantic import AfterValidator, Field, StringConstraints

from nalm_server.base.schemas import NAME, Moment, Schema, Whole
from nalm_server.jobs.agents.needs import Capabilities, Needs
from nalm_server.jobs.agents.registration_schemas import Api, PoolName, Version
from nalm_server.jobs.hosts.schemas import Health
from nalm_server.jobs.retries import Failure
from nalm_server.jobs.schemas import JobState

Text = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$"), AfterValidator(plain)]
LongText = Annotated[str, StringConstraints(max_length=20_000, pattern=r"^[^\x00]*$"), AfterValidator(plain)]
HostName = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[^\x00]+$")]
Fence = Annotated[Whole, Field(ge=1, le=2**31 - 1)]


class LeaseRequest(Schema):
    host: HostName
    host_class: HostName
    wait_seconds: float = Field(default=0, ge=0, le=60, strict=True)
    """How long the answer may wait for a job."""
    pool: PoolName | None = None
    """Pool of a host with a shared token; a host with its own credential is in its pool already."""
    api: Api = 1
    version: Version | None = None
    clock: Moment | None = None
    """The host's time at the request."""
    capabilities: Capabilities | None = None
    """Null: an older agent, which gets any job."""
    health: Health | None = None


class LeasedExperiment(Schema):
    """Cells, or tables of loads, to measure instead of scenarios, as nalm.toml of the commit has them."""

    id: int
    kind: Kind
    names: list[str]
    """Tables of this kind; empty: all."""
    seed: int
    parameters: LoadParameters = NO_PARAMETERS
    """Of an experiment under load, in place of the agent's defaults."""


class Lease(Schema):
    job_id: int
    fence: int
    """To send with every call about the job; a newer lease has a higher one."""
    project: str
    repository: str
    base_sha: str
    head_sha: str
    reason: str
    scenarios: list[str] | None
    """Scenarios to measure; null: those that nalm.toml measures by default."""
    budget_seconds: float | None
    """Seconds for the rounds of a scenario; null: as nalm.toml says."""
    lease_seconds: int
    measured: list[str]
    """Scenarios or cells that have a result of this job: not to measure again."""
    experiment: LeasedExperiment | None
    """Null: measure scenarios."""
    branch: str | None
    """The branch whose thresholds apply: of the push, the target of the pull request, or the default branch;
    null: unknown."""
    configuration: str | None
    """A nalm.toml in place of the commits' own; null: each commit has its own."""
    control: bool = False
    """Measure even if the code is equal: a control tests host and method."""
    margin: float | None = None
    """Relative change of cycles that matters, in place of nalm.toml's; null: nalm.toml's."""
    report_bytes: int
    """Largest run report that the server takes, decompressed. Launches end before a report exceeds it."""


class Progress(Schema):
    fence: Fence
    step: Text
    """Free text for people. `building`, `measuring` and `uploading` also set the job's state."""
    detail: Text | None = None
    fraction: Annotated[float, Field(ge=0, le=1, strict=True)] | None = None
    log_tail: LongText | None = None
    health: Health | None = None


class Renewed(Schema):
    state: JobState
    lease_seconds: int


class NotHere(Schema):
    """A scenario that this host cannot measure."""

    scenario: Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
    needs: Needs


class Finish(Schema):
    fence: Fence
    outcome: Literal["done", "failed"]
    message: LongText | None = None
    kind: Failure | None = None
    """Why it failed. `infrastructure` is retried, on another host if there is one; `generator_busy` is tried
    again later and is no attempt."""
    not_here: list[NotHere] = Field(default_factory=list, max_length=200)
    """Scenarios left for a host that has what they need."""
    under_load: LoadResult | None = None
    """Result of an experiment under load, which has no run reports."""


class Release(Schema):
    """The agent stops or cannot continue, for a reason other than the job."""

    fence: Fence
    reason: Text = ""


class Finished(Schema):
    state: JobState
