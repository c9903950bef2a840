# SPDX-License-Identifier: Apache-2.0
"""Rate report, version 1: one JSON document per `nalm rate`, with the raw counters of every trial.

`trials.py` computes what a trial lost and why. `rate_result.py` computes rates, latencies and verdict from
the report alone; the report does not contain them.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from nalm_core.rates import defaults
from nalm_core.rates.generators import INSIDE, Generator
from nalm_core.rates.presets import Mode
from nalm_core.report.offered_load import LoadShape
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import (
    Build,
    Check,
    Host,
    Model,
    Name,
    RunDefinition,
    Scenario,
    StageInfo,
)
from nalm_core.report.trials.trial import (
    DIRECTIONS,
    Direction,
    Ended,
    LcoreStages,
    LoadEvents,
    Phase,
    Search,
    Times,
    Traffic,
    Trial,
)

__all__ = [
    "DIRECTIONS",
    "Direction",
    "Ended",
    "LcoreStages",
    "LoadEvents",
    "Phase",
    "Search",
    "Times",
    "Traffic",
    "Trial",
]
"""Names of nalm_core.report.trials.trial that this module exports, in addition to its own."""

SCHEMA: Final = "nalm.rate-report/1"


class RateSettings(LoadShape):
    """Settings of the measurement, with the shape of the open loop."""

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


class SweepMargins(Model):
    """Relative changes that matter in a comparison of two sweeps, by the names of nalm.toml's thresholds."""

    load_cpp: float = Field(default=defaults.LOAD_CPP_MARGIN, gt=0)
    """Of cycles per packet at a load."""
    knee_pps: float = Field(default=defaults.KNEE_MARGIN, gt=0)


class SweepVerdict(Model):
    outcome: Outcome
    reasons: list[str]
    margins: SweepMargins


class SweepComparison(Model):
    """The sweeps of two builds, whose trials alternated in the same launches at the same loads."""

    schema_: Literal["nalm.sweep-comparison/1"] = Field(default="nalm.sweep-comparison/1", alias="schema")
    base: RateReport
    head: RateReport
    verdict: SweepVerdict | None = None
    """None in an older document."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)
