# SPDX-License-Identifier: Apache-2.0
"""The launches of a run in short: what pools and plans need of a run report, a hundredth of its size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import log
from statistics import fmean
from typing import Final, Literal

import numpy as np
from pydantic import ConfigDict, Field

from nalm_core.report.judged_arm import judged_arm
from nalm_core.report.rounds import PairedLaunch, pair_launches
from nalm_core.report.run_report import Arm, Model, RunReport, RunStatus
from nalm_core.report.terms import is_none
from nalm_core.stats.changed_code import common_stages, deciding_stages, with_change

AS_BUILT: Final = 0
"""Number of the layout that the build itself has."""


class RunLaunch(Model):
    """Head against base in one launch."""

    number: int = Field(ge=0)
    layout: int = Field(AS_BUILT, ge=0)
    """Number of the placement of code that both builds had."""
    ln_ratio: float
    turn_variance: float | None = None
    """Variance of the mean over its turns, from their spread; None with too few turns."""
    turns: int | None = Field(None, exclude_if=is_none)
    """Turns of each arm; None: as in the run."""
    stages: dict[str, float] = Field(default_factory=dict, exclude_if=lambda stages: not stages)
    """By stage: ln_ratio if it alone had changed. Empty: the arms have different stages."""


class RunLaunches(Model):
    """The launches of one run of a pair."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    run_id: str
    pair: str
    """Equal for runs of the same two builds in one scenario."""
    project: str
    scenario: str
    host: str
    host_class: str
    started_at: datetime
    seconds: float = Field(ge=0)
    """Wall time of the whole run."""
    turn_ms: float
    turns: int
    """Turns of each arm in a launch, unless the launch says otherwise."""
    relinked: bool = True
    """False: code was not placed otherwise; layouts differ in stack and heap alone."""
    equal_counts: bool = False
    """True: no stage's instructions changed. False: some did, or the run is older than this field."""
    changed_stages: list[str] | None = Field(None, exclude_if=is_none)
    """Stages that execute changed code, if their change alone may decide; None: unknown, or at a usual
    margin."""
    launches: list[RunLaunch]

    def hours(self) -> list[str]:
        """The hour of each launch: that of the run's start and whole hours since then, so that a run of less
        than an hour is in one. Launches are taken to be equally long."""
        last = max((one.number for one in self.launches), default=0) + 1
        since = (int(self.seconds * (one.number + 0.5) / last / 3600) for one in self.launches)
        return [f"{self.started_at + timedelta(hours=each):%Y-%m-%dT%H}" for each in since]


def run_launches(report: RunReport, pair: str) -> RunLaunches | None:
    """The launches of a measured run; None if it has no pair to judge, or no usable launch.

    pair: what identifies the two builds.
    """
    arm = judged_arm(report)
    if report.status is not RunStatus.MEASURED or arm is None or not report.valid:
        return None
    found = pair_launches(report, Arm.BASE, arm)
    if not found:
        return None
    stages = common_stages(report, arm)
    turns = Counter(one.launch for one in report.rounds if one.arm is Arm.BASE)
    return RunLaunches(
        run_id=report.run_id,
        pair=pair,
        project=report.project,
        scenario=report.scenario.name,
        host=report.host.name,
        host_class=report.host.host_class,
        started_at=report.started_at,
        seconds=(report.finished_at - report.started_at).total_seconds(),
        turn_ms=report.settings.turn_ms,
        turns=report.settings.turns_per_launch,
        relinked=report.layouts is None or report.layouts.relinked,
        equal_counts=report.settings.equal_counts,
        changed_stages=deciding_stages(report),
        launches=[_launch(one, report, turns[one.launch], stages) for one in found],
    )


def _launch(one: PairedLaunch, report: RunReport, turns: int, stages: Sequence[str]) -> RunLaunch:
    layout = AS_BUILT if report.layouts is None else report.layouts.of(one.launch)
    base = one.base_cpp()
    ratio = one.head_cpp() / base
    return RunLaunch(
        number=one.launch,
        layout=layout,
        ln_ratio=log(ratio),
        turn_variance=_variance(one),
        turns=turns if turns != report.settings.turns_per_launch else None,
        stages=_logarithms({stage: with_change(one, [stage]) / base for stage in stages}),
    )


def _logarithms(ratios: Mapping[str, float]) -> dict[str, float]:
    """Empty if one of them has none: such stages add up to no chain."""
    if any(ratio <= 0 for ratio in ratios.values()):
        return {}
    return {stage: log(ratio) for stage, ratio in ratios.items()}


def _variance(one: PairedLaunch) -> float | None:
    """Of the mean ratio of a launch's turns. The outer turns are omitted already, so it is a trimmed mean,
    whose variance the spread of the remaining turns understates: they are taken as winsorised (Tukey &
    McLaughlin 1963)."""
    ratios = [
        log(head.chain_cycles * base.packets / (base.chain_cycles * head.packets))
        for base, head in zip(one.base, one.head, strict=True)
    ]
    if len(ratios) < 4:
        return None
    omitted = len(ratios) // 2  # at each end: TRIM_SHARE of all turns
    low, high = min(ratios), max(ratios)
    winsorised = np.array([*ratios, *[low] * omitted, *[high] * omitted])
    total = len(winsorised)
    return float(winsorised.var(ddof=1)) * total / len(ratios) ** 2


def seconds_per_launch(runs: list[RunLaunches]) -> float:
    """Mean wall time of a launch, including what a run does before its first launch."""
    return fmean(one.seconds / (max(launch.number for launch in one.launches) + 1) for one in runs)
