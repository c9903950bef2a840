# SPDX-License-Identifier: Apache-2.0
"""Hosts as the API shows them, and the health that their agents report."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from nalm_core.models.host_costs import HostCost
from nalm_core.report.host_supply import HostSupply
from pydantic import Field

from nalm_server.base.schemas import Real, Schema, Whole, former_name
from nalm_server.jobs.agents.needs import Capabilities
from nalm_server.jobs.agents.registration_schemas import PoolName

Figure = Annotated[Real, Field(ge=-1e12, le=1e12)]


class HostState(StrEnum):
    ONLINE = "online"
    DRAINING = "draining"
    """It finishes its job and gets no new one."""
    OFFLINE = "offline"
    """It has not sent anything for a while."""
    REVOKED = "revoked"
    SICK = "sick"
    """It gets no job until it is well."""


class Health(Schema):
    """Null: the host cannot read it."""

    disk_free_bytes: Annotated[Whole, Field(ge=0, le=2**62)] | None = None
    """Free space where the agent keeps its store and spool."""
    load: Figure | None = None
    """Runnable processes per CPU, mean of the last minute."""
    steal: Figure | None = None
    """Share of CPU time that the hypervisor gave to others since the last report."""
    temperature_celsius: Figure | None = None
    """The hottest sensor of the processor."""
    frequency_mhz: Figure | None = None
    """Mean over the CPUs."""
    resolves: Figure | None = None
    """Smallest relative change resolved in a minute, by the last `nalm doctor --noise` there."""
    spool_items: Annotated[Whole, Field(ge=0, le=2**31 - 1)] | None = None
    """Results that wait for upload."""


class HealthSample(Health):
    at: datetime
    clock_offset_seconds: float | None
    version: str | None


class BenchHost(Schema):
    name: str
    host_class: str
    pool: str
    state: HostState
    reason: str | None
    """Why the host is in that state, if there is a reason."""
    registered: bool
    """Its agent has a credential of its own."""
    version: str | None
    job_id: int | None
    """Its current job."""
    capabilities: Capabilities | None
    health: Health | None
    clock_offset_seconds: float | None
    first_seen_at: datetime
    last_seen_at: datetime | None


class FingerprintChange(Schema):
    """One property in which a host has changed."""

    field: str
    before: str
    after: str
    severity: str
    """`segment`: series continue at another level. `incomparable`: another kind of host."""


class Fingerprint(Schema):
    """Properties of the host during a period."""

    digest: str
    first_seen_at: datetime
    last_seen_at: datetime
    changes: list[FingerprintChange]
    """Differences from the previous fingerprint; empty for the first."""
    fingerprint: dict[str, Any]


class HostMeasured(Schema):
    """What the last `nalm doctor` on the host measured, as its last run reported it."""

    at: datetime
    loads: list[HostCost]
    """Of one dependent load, by level: L1d, L2, L3, memory (Wu et al., Table III)."""
    lines: list[HostCost]
    """Of a load of a line that another CPU had, by what that did with it (Table VI)."""
    supply: HostSupply | None
    """What it delivers per second; null: measured by an older nalm."""


class HostDetail(BenchHost):
    measured: HostMeasured | None
    """Null: no run has reported a measurement."""
    fingerprints: list[Fingerprint]
    """Newest first."""


class NoisePoint(Schema):
    """Scatter of one judged run, by CPP of the chain."""

    at: datetime
    run_id: str
    project: str
    scenario: str
    launches: int
    spread: float | None
    """Standard deviation of ln(head / base) of a launch; null: too few launches."""
    width: float
    """Half the width of its verdict's interval, as a relative change."""


class Detectable(Schema):
    launches: int
    change: float | None
    """Relative change found with 90 % probability in this many launches; null: none below a factor of e."""


class Resolution(Schema):
    """The smallest changes that a scenario's runs on this host detect."""

    project: str
    scenario: str
    runs: int
    launches: int
    """Median over the runs, as are spread and width."""
    spread: float | None
    width: float
    detectable: list[Detectable]
    sees: ClassVar[Any] = former_name("detectable", list[Detectable])


class HostNoise(Schema):
    points: list[NoisePoint]
    """Oldest first."""
    resolutions: list[Resolution]
    sights: ClassVar[Any] = former_name("resolutions", list[Resolution])


class HostEdit(Schema):
    pool: PoolName


class Pool(Schema):
    name: str
    hosts: dict[str, int]
    """Number of hosts by state."""
    projects: list[str]
    queued: int


class PoolChoice(Schema):
    pool: PoolName
