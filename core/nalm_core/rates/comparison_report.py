# SPDX-License-Identifier: Apache-2.0
"""Rate comparison, version 1: one JSON document per `nalm rate --base`, with the raw counters and histograms
of every trial of both arms. `rate_change.py` computes changes and verdict from this document alone."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from nalm_core.rates import defaults
from nalm_core.rates.generators import INSIDE, Generator
from nalm_core.rates.rate_report import Search
from nalm_core.report.offered_load import LoadShape
from nalm_core.report.run_report import (
    Arm,
    ArmInfo,
    Check,
    Host,
    Model,
    Name,
    Scenario,
)
from nalm_core.report.trials.rate_run import CommonLoad, PairedTrial

__all__ = ["CommonLoad", "PairedTrial"]
"""Names of nalm_core.report.trials.rate_run that this module exports, in addition to its own."""

SCHEMA: Final = "nalm.rate-comparison/1"


class ComparisonSettings(LoadShape):
    """Settings of the measurement and of its verdict, with the shape of the open loop."""

    launches: int = Field(default=defaults.COMPARE_LAUNCHES, ge=1, le=200)
    trials: int = Field(default=defaults.COMPARE_TRIALS, ge=1, le=1000)
    trial_s: float = Field(default=defaults.TRIAL_S, gt=0)
    leave_out_s: float = Field(default=defaults.LEAVE_OUT_S, ge=0)
    margin: float = Field(default=defaults.LATENCY_MARGIN, gt=0)
    loss_margin: float = Field(default=defaults.LOSS_MARGIN, gt=0, lt=1)
    alpha: float = Field(default=defaults.COMPARE_ALPHA, gt=0, lt=1)
    equivalence_alpha: float = Field(default=defaults.COMPARE_EQUIVALENCE_ALPHA, gt=0, lt=0.5)


class RateComparison(Model):
    schema_: Literal["nalm.rate-comparison/1"] = Field(default=SCHEMA, alias="schema")
    run_id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    nalm_version: str
    project: Name
    scenario: Scenario
    host: Host
    failed: Arm | None = None
    """The arm that could not be built or run; None: both could."""
    failure: str | None = None
    started_at: datetime
    finished_at: datetime
    settings: ComparisonSettings
    generator: Generator = INSIDE
    ndr: Search | None = None
    """The search with base that chose the loads."""
    loads: list[CommonLoad] = Field(default_factory=list)
    arms: dict[Arm, ArmInfo] = Field(default_factory=dict)
    trials: list[PairedTrial] = Field(default_factory=list)
    checks: dict[Arm, list[Check]] = Field(default_factory=dict)

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)
