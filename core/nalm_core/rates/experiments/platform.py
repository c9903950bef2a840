# SPDX-License-Identifier: Apache-2.0
"""What the host's settings contribute: one build in launches under each setting, and under all together,
beside launches of the host as it is.

Veitch et al., NFV Performance Optimization for Virtualized Customer Premises Equipment, VI, ask for the
contribution of each layer of optimisation. The launch is the random unit, as in `rate_change`. A trial that
the host disturbed counts, unlike in a search: what the host does is the subject.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import exp, inf, log
from statistics import median
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from nalm_core.rates.comparison_report import CommonLoad
from nalm_core.rates.latency import Histogram, LatencyFigures, figures, merged
from nalm_core.rates.rate_report import Phase, Search, Trial
from nalm_core.rates.trials import as_round, forwarded_pps, is_generator_bound, shares_core
from nalm_core.report.counters import totals
from nalm_core.report.run_report import (
    ArmInfo,
    Build,
    Check,
    Host,
    Model,
    Name,
    RunDefinition,
    Scenario,
    StageInfo,
)
from nalm_core.stats.signed_rank import Differences, least_differences

SCHEMA: Final = "nalm.platform-report/1"
LAUNCHES: Final = 12
TRIALS: Final = 2
"""Of each launch at full load, and as many at the load of the latencies."""
ERROR_RATE: Final = 0.05
"""Chance that an interval misses its figure, of all intervals together, at most."""
SHARE: Final = 0.5
"""Load of the latencies as a share of NDR."""
AS_IT_IS: Final = "as it is"
AGAIN: Final = "as it is, again"
"""The control: nothing is changed, so its intervals should have 0."""
TOGETHER: Final = "together"
LEAST: Final = 1e-9
"""Least value of a figure, so that its logarithm exists."""


class SettingFile(Model):
    """One file of the kernel."""

    path: str
    before: str
    after: str


class HostSetting(Model):
    """One setting of the host."""

    name: str
    files: list[SettingFile]
    """What is changed; empty: nothing can be."""
    refused: list[str]
    """Files that the kernel did not let nalm change, with its reason. They stay as they are."""
    unavailable: str | None
    """Why it cannot be varied on this host; None if it can."""


class StateLaunch(Model):
    """One launch of the NF under one state of the host."""

    round: int = Field(ge=0)
    """Each round has one launch under every state, in random order."""
    order: int = Field(ge=0)
    state: str
    """AS_IT_IS, AGAIN, TOGETHER, or the setting that was changed."""
    trials: list[Trial]


class PlatformSettings(Model):
    """Settings of the measurement."""

    launches: int = Field(default=LAUNCHES, ge=1, le=200)
    """Under each state."""
    trials: int = Field(default=TRIALS, ge=1, le=100)
    trial_s: float = Field(gt=0)
    leave_out_s: float = Field(ge=0)
    error_rate: float = Field(default=ERROR_RATE, gt=0, lt=1)
    seed: int = 0


class PlatformReport(Model):
    """The raw counters and histograms of every launch."""

    schema_: Literal["nalm.platform-report/1"] = Field(default=SCHEMA, alias="schema")
    run_id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    nalm_version: str
    project: Name
    scenario: Scenario
    host: Host
    """As it is."""
    started_at: datetime
    finished_at: datetime
    settings: PlatformSettings
    host_settings: list[HostSetting]
    load: CommonLoad
    """Of the latencies."""
    ndr: Search | None
    """The search that chose it, on the host as it is."""
    build: Build
    run: RunDefinition
    stages: list[StageInfo]
    launches: list[StateLaunch]
    checks: list[Check]

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)


class PlatformFigure(StrEnum):
    """A figure whose change is shown."""

    CPP = "CPP"
    RATE = "rate"
    LATENCY_P99 = "latency p99"
    LATENCY_MEAN = "latency mean"
    LATENCY_MAX = "latency max"
    JITTER_MAX = "jitter max"


OPTIONAL: Final = (PlatformFigure.JITTER_MAX,)
"""A generator need not measure these."""


@dataclass(frozen=True, slots=True)
class Published:
    """What Veitch et al. report for their high-performance platform against their baseline (IV)."""

    figure: PlatformFigure
    unit: Literal["reduction", "factor"]
    one_nf: tuple[float, float]
    two_nfs: tuple[float, float]
    frames: str


PAPER: Final = (
    "Veitch et al., NFV Performance Optimization for Virtualized Customer Premises Equipment, section IV"
)
PUBLISHED: Final = (
    Published(PlatformFigure.LATENCY_MEAN, "reduction", (0.38, 0.74), (0.34, 0.66), "all profiles"),
    Published(PlatformFigure.LATENCY_MAX, "factor", (6, 6), (7.4, 7.4), "256 B"),
    Published(PlatformFigure.JITTER_MAX, "factor", (24, 24), (8.5, 8.5), "256 B"),
)


@dataclass(frozen=True, slots=True)
class Contribution:
    """One figure under one state, against the host as it is."""

    launches: int
    before: float
    """Median over launches: cycles per packet, packets per second or ns."""
    after: float
    change: float
    """Relative to `before`, over pairs of launches of one round."""
    low: float | None
    high: float | None
    """None: too few launches for an interval at this level."""

    @property
    def differs(self) -> bool:
        """True if the interval is without 0."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True, slots=True)
class StateRow:
    """All figures under one state. A figure that was not measured is missing."""

    state: str
    contributions: dict[PlatformFigure, Contribution]
    disturbed: int
    """Trials in which the host took time from an lcore, or the generator was late. They count."""
    trials: int


@dataclass(frozen=True, slots=True)
class PlatformResult:
    verdict: Literal["measured", "inconclusive", "invalid"]
    reasons: list[str]
    rows: list[StateRow]
    together: StateRow | None
    """The row with all available settings."""
    shared_core: bool
    generator_bound: bool
    """At full load the NF waited for packets in some trial: the rate is the generator's there."""


def states_of(settings: Sequence[HostSetting]) -> dict[str, list[HostSetting]]:
    """The states of the host that are compared, each with the settings that are changed."""
    available = [one for one in settings if one.unavailable is None]
    states: dict[str, list[HostSetting]] = {AS_IT_IS: [], AGAIN: []}
    states |= {one.name: [one] for one in available}
    if len(available) > 1:
        states[TOGETHER] = available
    return states


def judge_platform(report: PlatformReport) -> PlatformResult:
    """Contributions of every setting, and whether all of them were found."""
    info = ArmInfo(build=report.build, run=report.run, stages=report.stages)
    measured: dict[str, dict[int, Mapping[PlatformFigure, float]]] = {}
    for launch in report.launches:
        measured.setdefault(launch.state, {})[launch.round] = launch_figures(launch.trials, info)
    states = states_of(report.host_settings)
    pairs = {state: _pairs(measured, state) for state in states if state != AS_IT_IS}
    tests = sum(len(found) for found in pairs.values())
    error_rate = report.settings.error_rate / max(1, tests)
    rows = [
        StateRow(
            state=state,
            contributions={figure: contribution(values, error_rate) for figure, values in found.items()},
            disturbed=sum(one.invalid is not None for one in _trials(report, state)),
            trials=len(_trials(report, state)),
        )
        for state, found in pairs.items()
    ]
    failed = [one.message for one in report.checks if not one.passed]
    missing = _missing(rows, least_differences(error_rate))
    every = [trial for launch in report.launches for trial in launch.trials]
    settings = [row for row in rows if row.state != AGAIN]
    return PlatformResult(
        verdict="invalid" if failed else "inconclusive" if missing else "measured",
        reasons=[*failed, *missing],
        rows=rows,
        together=settings[-1] if settings else None,
        shared_core=any(shares_core(one) for one in every),
        generator_bound=any(is_generator_bound(one) for one in every),
    )


def launch_figures(trials: Sequence[Trial], info: ArmInfo) -> dict[PlatformFigure, float]:
    """The figures of one launch: medians of its trials at full load; the latencies of those below it, all
    together. At full load, latency is that of full queues."""
    full = [one for one in trials if one.phase is Phase.MRR]
    below = [one for one in trials if one.phase is Phase.LATENCY]
    waits = _merged([one.latency for one in below])
    jitters = _merged([one.jitter for one in below])
    found = {
        PlatformFigure.CPP: _median([totals(as_round(one), info).cpp for one in full]),
        PlatformFigure.RATE: _median([forwarded_pps(one, info) for one in full]),
        PlatformFigure.LATENCY_P99: _of(waits, lambda one: one.p99_ns),
        PlatformFigure.LATENCY_MEAN: _of(waits, lambda one: one.mean_ns),
        PlatformFigure.LATENCY_MAX: _of(waits, lambda one: one.max_ns),
        PlatformFigure.JITTER_MAX: _of(jitters, lambda one: one.max_ns),
    }
    return {figure: max(LEAST, value) for figure, value in found.items() if value is not None}


def contribution(pairs: Sequence[tuple[float, float]], error_rate: float) -> Contribution:
    """The relative change over pairs of launches, before and after. Raises ValueError without a pair."""
    found = Differences([log(after / before) for before, after in pairs]).location(error_rate)
    return Contribution(
        launches=len(pairs),
        before=median(before for before, _ in pairs),
        after=median(after for _, after in pairs),
        change=exp(found.estimate) - 1,
        low=None if found.low == -inf else exp(found.low) - 1,
        high=None if found.high == inf else exp(found.high) - 1,
    )


def _pairs(
    measured: Mapping[str, Mapping[int, Mapping[PlatformFigure, float]]], state: str
) -> dict[PlatformFigure, list[tuple[float, float]]]:
    """Values as it is and under a state, of rounds that have both."""
    before, after = measured.get(AS_IT_IS, {}), measured.get(state, {})
    found: dict[PlatformFigure, list[tuple[float, float]]] = {}
    for number in sorted(before.keys() & after.keys()):
        for figure in PlatformFigure:
            if figure in before[number] and figure in after[number]:
                pair = before[number][figure], after[number][figure]
                found.setdefault(figure, []).append(pair)
    return found


def _missing(rows: Sequence[StateRow], needed: int) -> list[str]:
    """Figures without a value or an interval, with the reason."""
    found = []
    for row in rows:
        absent = [one for one in PlatformFigure if one not in row.contributions and one not in OPTIONAL]
        if absent:
            found.append(f"{row.state}: not measured: {', '.join(absent)}")
    fewest = min((one.launches for row in rows for one in row.contributions.values()), default=0)
    if 0 < fewest < needed:
        found.append(f"{fewest} launches give no interval at this level; {needed} do (--launches)")
    return found


def _trials(report: PlatformReport, state: str) -> list[Trial]:
    return [trial for launch in report.launches if launch.state == state for trial in launch.trials]


def _merged(histograms: Sequence[Histogram | None]) -> LatencyFigures | None:
    known = [one for one in histograms if one is not None]
    return figures(merged(known)) if known else None


def _of(found: LatencyFigures | None, figure: Callable[[LatencyFigures], float]) -> float | None:
    return None if found is None else figure(found)


def _median(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return median(there) if there else None
