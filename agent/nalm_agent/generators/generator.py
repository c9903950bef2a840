# SPDX-License-Identifier: Apache-2.0
"""What `nalm rate` and `nalm soak` need of a generator of load, wherever it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from nalm_core.rates.generators import Generator
from nalm_core.rates.latency import Histogram
from nalm_core.rates.rate_report import Direction, Times, Traffic
from nalm_core.report.offered_load import LoadShape


@dataclass(frozen=True)
class Offer:
    """One load for a time. Its ports, directions and frames are the generator's settings."""

    trial: int
    """Its number, which grows from trial to trial."""
    seconds: float
    pps: int | None
    """Of all ports and directions together. None: as fast as packets are taken."""
    leave_out_s: float
    """At the begin, before latencies are counted."""
    shape: LoadShape
    """Of the open loop."""
    arrive: bool = True
    """Whether to wait until no packet is on its way."""


@dataclass(frozen=True)
class Offered:
    """What the generator itself counted."""

    traffic: Traffic
    latency: Histogram | None = None
    jitter: Histogram | None = None
    directions: Mapping[Direction, Times] = field(default_factory=dict)


@dataclass(frozen=True)
class Limits:
    """What a generator can do at most."""

    paced: bool
    """It can keep a rate below the greatest."""
    greatest_pps: float | None
    """None: it has no limit of its own; the NF's or the lcore's is reached first."""
    latency: bool
    """It measures latency."""
    shapes: bool
    """It sets gaps, bursts and new flows."""


class Turns(Protocol):
    """The NF, as a generator uses it. The NF runs only within a turn. Every method raises NfError."""

    def run(self, seconds: float) -> None:
        """One turn of so long."""

    def opened(self) -> AbstractContextManager[None]:
        """One turn, as long as the context."""

    def arrive(self, sent: Callable[[], int]) -> None:
        """Further turns until no packet is on its way, of `sent` so far."""


class LoadGenerator(Protocol):
    """Offers load to an NF. Errors of the generator are NalmErrors that name it."""

    @property
    def described(self) -> Generator:
        """The generator for a report."""

    @property
    def limits(self) -> Limits: ...

    def connect(self) -> None:
        """Called when the NF is ready, before the first load."""

    def offer(self, offer: Offer, nf: Turns) -> Offered:
        """Offers one load during turns of the NF."""

    def close(self) -> None:
        """Gives back what `connect` took. Never fails."""
