# SPDX-License-Identifier: Apache-2.0
"""Rate report, version 1: one JSON document per `nalm rate`, with the raw counters of every trial.

`trials.py` computes what a trial lost and why. `rate_result.py` computes rates, latencies and verdict from
the report alone; the report does not contain them.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import AliasChoices, ConfigDict, Field

from nalm_core.rates import defaults
from nalm_core.rates.generators import INSIDE, Generator
from nalm_core.rates.latency import Histogram
from nalm_core.report.batch_sizes import LcoreBatches
from nalm_core.report.event_counts import EventCount
from nalm_core.report.run_report import (
    Build,
    Check,
    Count,
    Host,
    LcoreCounters,
    Model,
    Name,
    RunDefinition,
    Scenario,
    StageCounters,
    StageInfo,
)

SCHEMA: Final = "nalm.rate-report/1"


class Mode(StrEnum):
    """The requested measurement."""

    MRR = "mrr"
    NDR = "ndr"
    PDR = "pdr"
    LATENCY = "latency"
    SWEEP = "sweep"
    ALL = "all"


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
    traffic: Traffic
    outside: bool = Field(default=False, exclude_if=lambda found: not found)
    """The generator is outside of the NF's process: what it sent may be lost before the NF takes it in."""
    lcores: list[LcoreCounters] = Field(min_length=1)
    stages: list[LcoreStages]
    batches: list[LcoreBatches] = Field(default_factory=list)
    """Of each lcore while traffic was sent. Empty: not counted (an older report or probe)."""
    steal_ns: int | None = Field(default=None, ge=0)
    latency: Histogram | None = None
    jitter: Histogram | None = None
    directions: dict[Direction, Times] = Field(default_factory=dict, exclude_if=lambda found: not found)
    """Latency and jitter by direction. Empty: the generator does not tell them apart."""
    invalid: str | None = None
    """Why this trial is invalid; None if it is valid."""


class LoadEvents(Model):
    """Hardware events at one load of a sweep, from a launch of its own, since reading them takes time."""

    pps: int = Field(gt=0)
    count: EventCount


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


class RateSettings(Model):
    """Settings of the measurement."""

    mode: Mode = Mode.ALL
    arrivals: str | None = Field(default=None, pattern=r"^(cbr|poisson|geometric|nbinom:[0-9.]{1,9})$")
    """Gaps between packets in the open loop; None: as the NF's configuration has them."""
    trial_s: float = Field(default=defaults.TRIAL_S, gt=0)
    mrr_launches: int = Field(default=defaults.MRR_LAUNCHES, ge=1, le=1000)
    mrr_trials: int = Field(default=defaults.MRR_TRIALS, ge=1, le=1000)
    pdr_loss: float = Field(default=defaults.PDR_LOSS, gt=0, lt=1)
    width: float = Field(default=defaults.WIDTH, gt=0, lt=1)
    exceed_ratio: float = Field(default=defaults.EXCEED_RATIO, ge=0, lt=1)
    trials_per_load: int = Field(default=defaults.TRIALS_PER_LOAD, ge=1)
    max_repeats: int = Field(default=defaults.MAX_REPEATS, ge=0)
    search_s: float = Field(default=defaults.SEARCH_S, gt=0)
    shares: list[Annotated[float, Field(gt=0, le=1)]] = Field(default=[0.1, 0.5, 0.9])
    latency_trials: int = Field(default=defaults.LATENCY_TRIALS, ge=1)
    leave_out_s: float = Field(default=defaults.LEAVE_OUT_S, ge=0)
    sweep_launches: int = Field(default=defaults.SWEEP_LAUNCHES, ge=1, le=1000)


class RateStatus(StrEnum):
    """Whether the agent could measure."""

    MEASURED = "measured"
    BROKEN = "broken"
    """The NF did not build, start, forward or stay alive; `failure` has the reason."""


class RateReport(Model):
    schema_: Literal["nalm.rate-report/1"] = Field(default=SCHEMA, alias="schema")
    run_id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    nalm_version: str
    project: Name
    scenario: Scenario
    host: Host
    status: RateStatus
    failure: str | None = None
    started_at: datetime
    finished_at: datetime
    settings: RateSettings
    generator: Generator = INSIDE
    build: Build | None
    """None if the NF could not be built."""
    run: RunDefinition
    stages: list[StageInfo] = Field(default_factory=list)
    """In the order in which packets pass them."""
    trials: list[Trial] = Field(default_factory=list)
    searches: list[Search] = Field(default_factory=list)
    load_events: list[LoadEvents] = Field(default_factory=list)
    """Of a sweep's loads; empty where no PMU counts them."""
    checks: list[Check] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)


class SweepComparison(Model):
    """The sweeps of two builds, whose trials alternated in the same launches at the same loads."""

    schema_: Literal["nalm.sweep-comparison/1"] = Field(default="nalm.sweep-comparison/1", alias="schema")
    base: RateReport
    head: RateReport

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)
