# SPDX-License-Identifier: Apache-2.0
"""Hosts as the API shows them, and what their agents say of their health."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from nalm_server.schemas import Schema

Figure = Annotated[float, Field(ge=-1e12, le=1e12)]


class Health(Schema):
    """None: not readable there; never assumed to be fine."""

    disk_free_bytes: Annotated[int, Field(ge=0, le=2**62)] | None = None
    """Where the agent keeps its store and spool."""
    load: Figure | None = None
    """Processes that run or wait to, over the last minute, per CPU."""
    steal: Figure | None = None
    """Share of CPU time the hypervisor gave to others since the last word."""
    temperature_celsius: Figure | None = None
    """The hottest sensor of the processor."""
    frequency_mhz: Figure | None = None
    """Mean over the CPUs."""
    resolves: Figure | None = None
    """Smallest relative change seen in a minute, of the last `nalm doctor --noise` there."""
    spool_items: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    """Results that wait there for the server."""


class HealthSample(Health):
    at: datetime
    clock_offset_seconds: float | None
    version: str | None
