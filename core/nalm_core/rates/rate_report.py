# SPDX-License-Identifier: Apache-2.0
"""Rate report, version 1: one JSON document per `nalm rate`, every trial raw, nothing averaged away.

What a trial lost and why is in `trials.py`; what the report means (rates, latencies, verdict) is computed
from it alone by `rate_result.py` and is not stored in it.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import AliasChoices, ConfigDict, Field

from nalm_core.rates import defaults
from nalm_core.rates.latency import Histogram
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
    """What is asked for."""

    MRR = "mrr"
    NDR = "ndr"
    PDR = "pdr"
    LATENCY = "latency"
    ALL = "all"


class Phase(StrEnum):
    """What a trial was made for."""

    MRR = "mrr"
    SEARCH = "search"
    LATENCY = "latency"
    SOAK = "soak"


class Traffic(Model):
    """The generator's own account of a trial."""

    sending_ns: Count
    """How long it sent: parked and silent times left out."""
    sent: Count
    late: Count
    """Given up: not sent within the time its configuration allows after they were due."""
    received: Count | None
    """Packets that came back, once each; None if packets carry no stamp to tell them by."""
    reordered: Count | None
    duplicates: Count | None
    damaged: Count | None


class LcoreStages(Model):
    """Every stage on one lcore over one trial."""

    lcore: int = Field(ge=0)
    stages: dict[Name, StageCounters]


class Trial(Model):
    """One load for one length of time: raw counters, from its begin until nothing is on its way."""

    phase: Phase
    launch: int = Field(ge=0)
    intended_pps: int | None = Field(gt=0, validation_alias=AliasChoices("intended_pps", "asked_pps"))
    """The open loop's rate; None: closed loop, as fast as the NF takes packets."""
    intended_s: float = Field(gt=0, validation_alias=AliasChoices("intended_s", "asked_s"))
    share: float | None = Field(default=None, gt=0)
    """Of NDR, where the load was chosen by it."""
    traffic: Traffic
    lcores: list[LcoreCounters] = Field(min_length=1)
    stages: list[LcoreStages]
    steal_ns: int | None = Field(default=None, ge=0)
    latency: Histogram | None = None
    jitter: Histogram | None = None
    invalid: str | None = None
    """Why this trial says nothing about the NF; None if it does."""


class Ended(StrEnum):
    """How a search ended."""

    FOUND = "found"
    LOSS_AT_LEAST = "loss_at_least"
    """More loss than the goal even at the least load."""
    NO_LOSS_AT_MOST = "no_loss_at_most"
    """No more loss than the goal at the greatest load: the rate is at least that."""
    DISTURBED = "disturbed"
    """A load could not be measured: trial after trial was invalid."""
    OUT_OF_TIME = "out_of_time"


class Search(Model):
    """One goal of a search and the bounds it ended with, packets per second."""

    goal: Literal["ndr", "pdr"]
    loss_ratio: float = Field(ge=0, lt=1)
    least_pps: float = Field(gt=0)
    greatest_pps: float = Field(gt=0)
    lower_pps: float | None
    """The greatest load that met the goal."""
    upper_pps: float | None
    """The least load that did not."""
    throughput_pps: float | None
    """Forwarded at the lower bound: the conditional throughput of MLRsearch."""
    ended: Ended
    reason: str | None = None


class RateSettings(Model):
    """What was aimed at."""

    mode: Mode = Mode.ALL
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


class RateStatus(StrEnum):
    """What the agent could do."""

    MEASURED = "measured"
    BROKEN = "broken"
    """The NF did not build, start, forward or stay alive; `failure` says what was seen."""


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
    build: Build | None
    """None if it could not be built."""
    run: RunDefinition
    stages: list[StageInfo] = Field(default_factory=list)
    """In the order packets pass them."""
    trials: list[Trial] = Field(default_factory=list)
    searches: list[Search] = Field(default_factory=list)
    checks: list[Check] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)
