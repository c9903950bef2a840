# SPDX-License-Identifier: Apache-2.0
"""A scenario's load in an open loop: what both arms are offered, and what their generators sent."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nalm_core.report.terms import Count, Model

CLOSED = "closed"
"""Load of a scenario whose packets are sent as fast as the NF takes them."""
LONGEST_LOAD = 24
LoadName = Annotated[
    str, Field(min_length=1, max_length=LONGEST_LOAD, pattern=r"^[A-Za-z0-9.+]+(/[A-Za-z0-9.:+]+)*$")
]
"""A load as part of a series' source: `2Mpps`, `500Mbit+20B/poisson`."""


def load_of(source: str) -> str:
    """The load of a series, by its source (RunDefinition.series_source)."""
    return source.partition("@")[2] or CLOSED


def _is_none(value: object) -> bool:
    return value is None


class LoadShape(Model):
    """What an open loop has in addition to its rate. None: as the NF's configuration has it."""

    arrivals: str | None = None
    """Gaps between packets, or bursts, such as `poisson`."""
    burst: int | None = None
    """Packets that are due at the same time."""
    new_flows: int | None = None
    """Flows per second that take the place of others."""


class OfferedLoad(Model):
    """An open loop, the same for both arms of a run."""

    name: LoadName
    """The load by nalm.toml. Figures of different loads are in different series."""
    pps: int = Field(gt=0)
    """Packets per second that the generator is asked for."""
    arrivals: str | None = None
    """Gaps between packets, such as `poisson`. None: those of the NF's configuration."""
    found: str | None = None
    """How the rate follows from the load, for readers; None if the load is a rate."""
    burst: int | None = Field(default=None, gt=0, exclude_if=_is_none)
    """Packets that are due at the same time. None: as the NF's configuration has it."""
    new_flows: int | None = Field(default=None, gt=0, exclude_if=_is_none)
    """Flows per second that take the place of others. None: as the NF's configuration has it."""

    @property
    def shape(self) -> LoadShape:
        return LoadShape(arrivals=self.arrivals, burst=self.burst, new_flows=self.new_flows)

    def due(self, sending_ns: int) -> int:
        """Packets due in this time from the first burst on."""
        packets = self.pps * sending_ns / 1e9
        if self.burst is None:
            return round(packets)
        return self.burst * (int(packets / self.burst) + 1)


class RoundTraffic(Model):
    """What a generator sent in one turn of an open loop."""

    sending_ns: Count
    due: Count
    """Packets due by the schedule in that time."""
    sent: Count
    late: Count
    """Packets that were given up because they were not sent in time."""
    flows_due: int | None = Field(default=None, ge=0, exclude_if=_is_none)
    """New flows of those due packets. None: none were asked for."""
    flows_begun: int | None = Field(default=None, ge=0, exclude_if=_is_none)
