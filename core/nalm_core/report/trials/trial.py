# SPDX-License-Identifier: Apache-2.0
"""Trials, each one load for a fixed time, with raw counters of NF and generator; and searches over loads."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

from pydantic import AliasChoices, Field

from nalm_core.report.batch_sizes import LcoreBatches
from nalm_core.report.event_counts import EventCount
from nalm_core.report.offered_load import LoadShape
from nalm_core.report.terms import Count, LcoreCounters, Model, Name, StageCounters
from nalm_core.report.trials.histogram import Histogram
from nalm_core.report.trials.long_calls import CallCounts


class Phase(StrEnum):
    """The purpose of a trial."""

    MRR = "mrr"
    SEARCH = "search"
    LATENCY = "latency"
    SWEEP = "sweep"
    SOAK = "soak"


class Traffic(Model):
    """The generator's own counters of a trial."""

    sending_ns: Count
    """Time for which it sent, without parked and silent times."""
    sent: Count
    late: Count
    """Packets given up: not sent within the time that the configuration allows after they were due."""
    received: Count | None
    """Distinct packets that came back; None if packets carry no stamp that identifies them."""
    reordered: Count | None
    duplicates: Count | None
    damaged: Count | None
    flows_begun: int | None = Field(default=None, ge=0, exclude_if=lambda found: found is None)
    """Flows that took the place of others; None: none were asked for."""
    queue_full: int | None = Field(default=None, ge=0, exclude_if=lambda found: found is None)
    """Packets that found the generator's transmit queue full; None: it does not count them."""


Direction = Literal["outbound", "inbound"]
"""From clients; to clients."""
DIRECTIONS: Final[tuple[Direction, ...]] = ("outbound", "inbound")


class Times(Model):
    """Latency and jitter of one direction."""

    latency: Histogram
    jitter: Histogram


class LcoreStages(Model):
    """Every stage on one lcore over one trial."""

    lcore: int = Field(ge=0)
    stages: dict[Name, StageCounters]


class Trial(Model):
    """One load for a fixed time: raw counters, from its begin until no packet is in flight."""

    phase: Phase
    launch: int = Field(ge=0)
    intended_pps: int | None = Field(gt=0, validation_alias=AliasChoices("intended_pps", "asked_pps"))
    """The open loop's rate; None: closed loop, as fast as the NF takes packets."""
    intended_s: float = Field(gt=0, validation_alias=AliasChoices("intended_s", "asked_s"))
    share: float | None = Field(default=None, gt=0)
    """The load as a share of NDR, if it was chosen so."""
    shape: LoadShape | None = Field(default=None, exclude_if=lambda found: found is None)
    """Of the open loop; None: as the NF's configuration has it, or not recorded (an older report)."""
    traffic: Traffic
    outside: bool = Field(default=False, exclude_if=lambda found: not found)
    """The generator is outside of the NF's process: what it sent may be lost before the NF takes it in."""
    lcores: list[LcoreCounters] = Field(min_length=1)
    stages: list[LcoreStages]
    batches: list[LcoreBatches] = Field(default_factory=list)
    """Of each lcore while traffic was sent. Empty: not counted (an older report or probe)."""
    long_calls: dict[Name, CallCounts] | None = Field(default=None, exclude_if=lambda found: found is None)
    """Of each stage that had any, while traffic was sent, over all lcores. None: not counted. In a trial of
    latency those of LONG_CYCLES and more, in another open loop those of UNSENT_SLACK_US."""
    steal_ns: int | None = Field(default=None, ge=0)
    latency: Histogram | None = None
    jitter: Histogram | None = None
    directions: dict[Direction, Times] = Field(default_factory=dict, exclude_if=lambda found: not found)
    """Latency and jitter by direction. Empty: the generator does not tell them apart."""
    invalid: str | None = None
    """Why this trial is invalid; None if it is valid."""


class Ended(StrEnum):
    """How a search ended."""

    FOUND = "found"
    LOSS_AT_LEAST = "loss_at_least"
    """The loss exceeds the goal even at the least load."""
    NO_LOSS_AT_MOST = "no_loss_at_most"
    """The loss is within the goal at the greatest load: the rate is at least that load."""
    DISTURBED = "disturbed"
    """A load could not be measured: its trials and their repetitions were invalid."""
    OUT_OF_TIME = "out_of_time"


class Search(Model):
    """One goal of a search and its final bounds in packets per second."""

    goal: Literal["ndr", "pdr"]
    loss_ratio: float = Field(ge=0, lt=1)
    least_pps: float = Field(gt=0)
    greatest_pps: float = Field(gt=0)
    lower_pps: float | None
    """The greatest load that met the goal."""
    upper_pps: float | None
    """The least load that did not meet the goal."""
    throughput_pps: float | None
    """Forwarded packets per second at the lower bound: the conditional throughput of MLRsearch."""
    ended: Ended
    reason: str | None = None


class LoadEvents(Model):
    """Hardware events at one load of a sweep, from a launch of its own, since reading them takes time."""

    pps: int = Field(gt=0)
    count: EventCount
