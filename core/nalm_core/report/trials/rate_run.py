# SPDX-License-Identifier: Apache-2.0
"""The part of a run report that a run under load has in place of rounds: trials of both arms, side by side.

Raw counters and histograms of every trial, also of invalid ones, with the reason. `nalm_core.rates` computes
the figures from them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import Field

from nalm_core.report.terms import Arm, Count, Model
from nalm_core.report.trials.trial import LoadEvents, Search, Trial

RateMode = Literal["mrr", "ndr", "latency"]
"""What a launch of a run of rates measures: full load; searches of NDR and PDR; the common load."""
RATE_MODES: Final[tuple[RateMode, ...]] = ("mrr", "ndr", "latency")


class CommonLoad(Model):
    """A load that both arms are offered."""

    pps: int = Field(gt=0)
    share: float | None = Field(default=None, gt=0)
    """As a share of base's NDR, if it was chosen so."""


class PairedTrial(Model):
    """A trial of one arm. The other arm's trial of this load, launch and `pair` ran just before or after."""

    arm: Arm
    load: int | None = Field(ge=0)
    """Index in `loads`; None: full load, or a step of a search."""
    pair: int = Field(ge=0)
    trial: Trial


class ArmSearch(Model):
    """A search with one arm in one launch."""

    arm: Arm
    launch: int = Field(ge=0)
    search: Search


class SoakInterval(Model):
    """An interval of a soak: a trial, and what the process held at its end."""

    number: int = Field(ge=0)
    launch: int = Field(ge=0)
    """Increases when the soak is resumed, and where builds take turns of a launch."""
    ended_at: datetime
    launch_s: float = Field(ge=0)
    """Seconds of this launch under load at the end of the interval, without pauses and what was left out."""
    trial: Trial
    memory_bytes: Count | None
    """Resident memory of the process; None if it could not be read."""
    buffers_in_use: Count | None
    """Packet buffers outside their pool at the end of the interval; None if they are not counted."""


class ArmInterval(Model):
    arm: Arm
    interval: SoakInterval


class RateRun(Model):
    kind: Literal["rate", "soak"]
    generator: str
    """What offered the load."""
    load: CommonLoad | None
    """The open loop's load, the same for both arms. None: no trial was in an open loop."""
    modes: Annotated[list[RateMode], Field(min_length=1)] = Field(default_factory=lambda: list(RATE_MODES))
    """What its launches measured. All in an older report."""
    base_ndr: Search | None = None
    """The search with base that chose the load; None: it was given, or found earlier."""
    trials: Annotated[list[PairedTrial], Field(max_length=20_000)] = Field(default_factory=list)
    """Of a rate run. Steps of a search have no histograms."""
    searches: list[ArmSearch] = Field(default_factory=list)
    load_events: dict[Arm, list[LoadEvents]] = Field(default_factory=dict, exclude_if=lambda found: not found)
    """At the loads of a sweep, where the host has a PMU and the NF reads events."""
    intervals: Annotated[list[ArmInterval], Field(max_length=20_000)] = Field(default_factory=list)
    """Of a soak."""

    def every_trial(self) -> list[Trial]:
        """Trials of both arms, without the steps of searches."""
        return [one.trial for one in self.trials] + [one.interval.trial for one in self.intervals]
