# SPDX-License-Identifier: Apache-2.0
"""Metrics beside those of packets and cycles: shipped ones, and those that nalm.toml defines."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from nalm_core.report.terms import Arm, Model
from nalm_core.report.trials.long_calls import LongCalls

MetricName = Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[a-z][a-z0-9_]*$")]
Unit = Annotated[str, Field(min_length=1, max_length=24, pattern=r"^[A-Za-z0-9%/._ -]+$")]
Margin = Annotated[float, Field(gt=0, lt=1)]
Value = Annotated[float, Field(allow_inf_nan=False)]
Every = Literal["build", "launch"]
MetricSource = Literal["build", "process", "probe", "telemetry", "command", "file", "trials"]
Judged = Literal["ratio", "ranks", "share", "growth", "never"]
"""How two builds are compared by a metric: by the ratio of its means; by ranks of the launches' ratios; a
share by ranks of the launches' differences; growth over a soak by the difference of two trends; or not at
all, since it belongs to single packets."""


class Threshold(Model):
    """A margin for a metric of packets that nalm.toml judges beside the chain's CPP."""

    metric: Literal["cpp", "ipp", "function_ipp"]
    """`function_ipp`: the own instructions of each C function."""
    stage: str | None = None
    """None: the chain; of `function_ipp` every stage."""
    margin: Margin


class MetricGrowth(Model):
    """The change of a figure over a soak, with the interval of its trend."""

    low: float
    high: float
    level: float
    """Median of the figure, which the change is shown relative to."""


class OwnMetric(Model):
    """One metric in every arm. An arm has values or the reason why it has none, never 0 for a missing one."""

    name: MetricName
    unit: Unit
    better: Literal["lower", "higher"]
    every: Every
    """How often it is read: once for a build, or at the end of every launch."""
    exact: bool
    """Whether equal builds have equal values, so that one value of each decides."""
    source: MetricSource
    margin: Annotated[float, Field(gt=0)]
    """Change that matters: relative, or of a share or of growth in its unit."""
    judged: Judged = Field("ratio", exclude_if=lambda judged: judged == "ratio")
    gates: bool = False
    """Whether a regression fails the check and makes an alert: nalm.toml defines the metric or gives it a
    threshold. A shipped metric is otherwise only shown."""
    values: dict[Arm, Annotated[list[Value], Field(min_length=1)]] = Field(default_factory=dict)
    """One value of a build; one of each launch, in order."""
    missing: dict[Arm, str] = Field(default_factory=dict)
    """Why an arm has no value."""
    begins: dict[Arm, Annotated[list[Value], Field(min_length=1)]] = Field(
        default_factory=dict, exclude_if=lambda found: not found
    )
    """Of values that are ends of a histogram's bins: where these bins begin."""
    at_least: dict[Arm, Annotated[int, Field(ge=1)]] = Field(
        default_factory=dict, exclude_if=lambda found: not found
    )
    """Number of launches whose value is a lower bound: the arm carried the greatest load that it was
    offered."""
    growth: dict[Arm, MetricGrowth] = Field(default_factory=dict, exclude_if=lambda found: not found)
    """Of a metric that is judged by growth."""
    causes: dict[Arm, dict[str, float]] = Field(default_factory=dict, exclude_if=lambda found: not found)
    """The parts of the value by cause, over all launches."""
    stages: dict[Arm, dict[str, float]] = Field(default_factory=dict, exclude_if=lambda found: not found)
    """The parts of the value by stage: of each the median over launches."""
    stage_growth: dict[Arm, dict[str, MetricGrowth]] = Field(
        default_factory=dict, exclude_if=lambda found: not found
    )
    """Of a metric that is judged by growth: the same figure of each stage that has one."""
    long_calls: LongCalls | None = Field(default=None, exclude_if=lambda found: found is None)
    """Of a latency that differs between the arms: calls of stages that are long enough to be the reason."""
