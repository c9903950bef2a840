# SPDX-License-Identifier: Apache-2.0
"""Rate comparison, version 1: one JSON document per `nalm rate --base`, with the raw counters and histograms
of every trial of both arms, and the verdict, which `rate_change.py` computes from the rest of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from nalm_core.rates import defaults
from nalm_core.rates.generators import INSIDE, Generator
from nalm_core.rates.rate_report import Search
from nalm_core.rates.trials import Loss
from nalm_core.report.offered_load import LoadShape
from nalm_core.report.outcome import Decided, Outcome
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
from nalm_core.verdict.long_calls import PayingStage

__all__ = ["CommonLoad", "PairedTrial"]
"""Names of nalm_core.report.trials.rate_run that this module exports, in addition to its own."""

SCHEMA: Final = "nalm.rate-comparison/1"


class RateFigure(StrEnum):
    """A figure that is judged."""

    LATENCY_P50 = "latency p50"
    LATENCY_P90 = "latency p90"
    LATENCY_P99 = "latency p99"
    LATENCY_P99_9 = "latency p99.9"
    JITTER_P99 = "jitter p99"
    LOSS = "loss"


METRIC_OF: Final[Mapping[RateFigure, str]] = MappingProxyType(
    {
        RateFigure.LATENCY_P50: "latency_p50_ns",
        RateFigure.LATENCY_P90: "latency_p90_ns",
        RateFigure.LATENCY_P99: "latency_p99_ns",
        RateFigure.LATENCY_P99_9: "latency_p99_9_ns",
        RateFigure.JITTER_P99: "jitter_p99_ns",
        RateFigure.LOSS: "loss_ratio",
    }
)
"""The figures as runs under load and nalm.toml's thresholds name them."""


class ComparisonSettings(LoadShape):
    """Settings of the measurement and of its verdict, with the shape of the open loop."""

    launches: int = Field(default=defaults.COMPARE_LAUNCHES, ge=1, le=200)
    trials: int = Field(default=defaults.COMPARE_TRIALS, ge=1, le=1000)
    trial_s: float = Field(default=defaults.TRIAL_S, gt=0)
    leave_out_s: float = Field(default=defaults.LEAVE_OUT_S, ge=0)
    margin: float = Field(default=defaults.LATENCY_MARGIN, gt=0)
    """Of percentiles without one of their own in `margins`."""
    loss_margin: float = Field(default=defaults.LOSS_MARGIN, gt=0, lt=1)
    margins: dict[RateFigure, float] = Field(default_factory=dict, exclude_if=lambda found: not found)
    """Those that nalm.toml's thresholds give."""
    alpha: float = Field(default=defaults.COMPARE_ALPHA, gt=0, lt=1)
    equivalence_alpha: float = Field(default=defaults.COMPARE_EQUIVALENCE_ALPHA, gt=0, lt=0.5)

    def margin_of(self, figure: RateFigure) -> float:
        """Relative change of a percentile that matters; of loss the difference of shares."""
        return self.margins.get(figure, self.loss_margin if figure is RateFigure.LOSS else self.margin)


class FigureChange(Model):
    """One figure at one load, of base and head."""

    figure: RateFigure
    outcome: Decided
    launches: int
    margin: float | None = None
    """The change that matters; None in an older document."""
    base: float | None = None
    """Median over launches, in ns or as a share of due packets; None: not measured."""
    head: float | None = None
    change: float | None = None
    """Of a percentile relative to base, of loss the difference."""
    low: float | None = None
    high: float | None = None
    """None: too few launches for an interval at this level, or a latency's bins set no bound."""
    steps_ns: float | None = Field(default=None, exclude_if=lambda found: found is None)
    """Of a latency that is undecided only because its values are in bins of this width."""
    stages: list[PayingStage] = Field(default_factory=list)
    """Of a latency or jitter that changed: the stages whose long calls made packets wait."""


class LoadChange(Model):
    """All figures at one load."""

    load: CommonLoad
    figures: list[FigureChange]
    losses: dict[Arm, list[Loss]]
    """Of the trials that take part."""
    pairs: int
    of: int
    """Pairs of trials that were measured; of these `pairs` are valid."""


class ComparisonVerdict(Model):
    outcome: Outcome
    reasons: list[str]
    loads: list[LoadChange]

    @property
    def culprit_stages(self) -> list[str]:
        """The stages that the figures with this outcome name."""
        figures = [one for load in self.loads for one in load.figures if one.outcome == self.outcome]
        return list(dict.fromkeys(stage.name for figure in figures for stage in figure.stages))


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
    verdict: ComparisonVerdict | None = None
    """None in an older document."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)
