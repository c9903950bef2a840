# SPDX-License-Identifier: Apache-2.0
"""A scenario's load in an open loop: what both arms are offered, and what their generators sent."""

from __future__ import annotations

from math import ceil, floor
from typing import Annotated

from pydantic import ConfigDict, Field

from nalm_core.report.terms import Count, Model, is_none

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


class Ramp(Model):
    """A rate that rises linearly from `least` times its mean to `2 - least` times, and begins again."""

    ms: float = Field(gt=0, le=60_000)
    """Milliseconds of one rise. Every turn or trial begins with the slow end."""
    least: float = Field(default=0, ge=0, le=1)

    @property
    def text(self) -> str:
        """MS:LEAST, without a LEAST of 0."""
        return f"{self.ms:g}" + (f":{self.least:g}" if self.least else "")

    def warped(self, ns: float) -> float:
        """Nanoseconds in which the mean rate has as many packets as the ramp in these from its begin on."""
        period = self.ms * 1e6
        periods = floor(ns / period)
        share = ns / period - periods
        return period * (periods + self.least * share + (1 - self.least) * share**2)

    def divides(self, ms: float) -> bool:
        """Whether this time has a whole number of rises, and so the mean rate."""
        rises = ms / self.ms
        return round(rises) >= 1 and abs(rises - round(rises)) < 1e-6


class LoadShape(Model):
    """What an open loop has in addition to its rate. None: as the NF's configuration has it."""

    model_config = ConfigDict(allow_inf_nan=False)

    arrivals: str | None = None
    """Gaps between packets, or bursts, such as `poisson`."""
    burst: int | None = Field(default=None, gt=0, exclude_if=is_none)
    """Packets that are due at the same time."""
    new_flows: int | None = Field(default=None, gt=0, exclude_if=is_none)
    """Flows per second that take the place of others."""
    ramp: Ramp | None = Field(default=None, exclude_if=is_none)
    """None: the rate stays as it is."""

    def due(self, pps: int, sending_ns: int) -> int:
        """Packets due in this time from the first burst on, at a mean rate of pps."""
        packets = pps * (sending_ns if self.ramp is None else self.ramp.warped(sending_ns)) / 1e9
        if self.burst is None:
            return round(packets)
        return self.burst * (int(packets / self.burst) + 1)

    def merged(self, other: LoadShape) -> LoadShape:
        """This shape, and what `other` has in addition."""
        both = ((name, (getattr(self, name), getattr(other, name))) for name in LoadShape.model_fields)
        return LoadShape(**{name: theirs if own is None else own for name, (own, theirs) in both})

    def whole_s(self, seconds: float) -> float:
        """The least time from this one on that has a whole number of rises, and so the mean rate."""
        if self.ramp is None or seconds <= 0 or self.ramp.divides(seconds * 1000):
            return seconds
        return ceil(seconds * 1000 / self.ramp.ms) * self.ramp.ms / 1000

    @property
    def described(self) -> str:
        """For readers: `poisson gaps, bursts of 64`; empty where all is as the NF's configuration has it."""
        found = [] if self.arrivals is None else [f"{self.arrivals} gaps"]
        found += [] if self.burst is None else [f"bursts of {self.burst}"]
        found += [] if self.new_flows is None else [f"{self.new_flows:,} new flows/s"]
        if self.ramp is not None:
            least = f" from {self.ramp.least:g} times the mean" if self.ramp.least else ""
            found.append(f"ramps of {self.ramp.ms:g} ms{least}")
        return ", ".join(found)

    def fastest(self, pps: int) -> float:
        """The greatest rate of a mean of pps, without bursts."""
        return pps if self.ramp is None else pps * (2 - self.ramp.least)


NO_SHAPE = LoadShape()


class OfferedLoad(LoadShape):
    """An open loop, the same for both arms of a run."""

    name: LoadName
    """The load by nalm.toml. Figures of different loads are in different series."""
    pps: int = Field(gt=0)
    """Packets per second that the generator is asked for."""
    found: str | None = None
    """How the rate follows from the load, for readers; None if the load is a rate."""

    @property
    def shape(self) -> LoadShape:
        return NO_SHAPE.merged(self)


class RoundTraffic(Model):
    """What a generator sent in one turn of an open loop."""

    sending_ns: Count
    due: Count
    """Packets due by the schedule in that time."""
    sent: Count
    late: Count
    """Packets that were given up because they were not sent in time."""
    flows_due: int | None = Field(default=None, ge=0, exclude_if=is_none)
    """New flows of those due packets. None: none were asked for."""
    flows_begun: int | None = Field(default=None, ge=0, exclude_if=is_none)
