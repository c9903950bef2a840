# SPDX-License-Identifier: Apache-2.0
"""What a margin takes: launches, turns, layouts, minutes, hours and hosts, from the noise that runs showed.

The error of a pair's ratio with M hosts, H hours on each, K layouts and n launches is
s_host^2 / M + s_hour^2 / (M H) + s_layout^2 / K + s_launch^2 / n. A change of the margin is found with
PLAN_POWER if that error is the margin over the sum of two quantiles (nalm_core.stats.resolution has the
sequential rule's). Of all n and K that reach it, those with the least time are taken: if a launch takes c
seconds and a layout r, then K / n = (s_layout / s_launch) sqrt(c / r), and at most 1 (Cochran, Sampling
Techniques, 10.6). Launches have the turns that nalm_core.pooling.turns chooses, as in runs with fine margins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, sqrt
from typing import Final

import numpy as np
from pydantic import Field

from nalm_core.pooling.components import Components, Level, PooledLaunch, components, observations
from nalm_core.pooling.constants import FINE_MARGIN, MOST_HOURS, PLAN_POWER
from nalm_core.pooling.launches import RunLaunches, seconds_per_launch
from nalm_core.pooling.pool import LevelShare, pool_settings
from nalm_core.pooling.turns import launch_noise
from nalm_core.report.defaults import CONFIDENCE, DEFAULT_SETTINGS, MIN_LAUNCHES, MIN_LAYOUTS
from nalm_core.report.run_report import Model, Settings
from nalm_core.stats.quantiles import normal_quantile
from nalm_core.stats.resolution import MOST_LAUNCHES, smallest_change
from nalm_core.text.percents import share_percent

DRAWS: Final = 200
"""Draws of the components for the interval of a plan."""
CURVE_MINUTES: Final = (5, 10, 20, 30, 60)
RELINK_SECONDS: Final = 3.0
"""Time of both links of a layout, until it was measured."""


class Effort(Model):
    """What a measurement takes."""

    launches: int
    layouts: int
    hours: int
    """Different hours over which launches are spread, on each host."""
    hosts: int
    minutes: float
    """Of measuring, all hosts together."""


class CurvePoint(Model):
    """The half width of the interval at CONFIDENCE after some minutes, relative."""

    minutes: float
    half_width: float


class StageEffort(Model):
    """What a margin takes if changed code is executed in one stage alone."""

    stage: str
    minutes: float | None
    """None: not reachable."""


class MarginPlan(Model):
    """What a margin takes on hosts with the noise that was measured."""

    margin: float
    scenario: str
    reachable: bool
    reason: str
    effort: Effort | None = None
    """None: not reachable, or nothing was measured."""
    low: Effort | None = None
    """Lower end of the interval of the effort at CONFIDENCE, from the uncertainty of the noise."""
    high: Effort | None = None
    """Upper end; None: the margin may not be reachable."""
    turns: int | None = None
    """Turns of each arm in a launch that take the least time."""
    seconds_per_launch: float | None = None
    shares: list[LevelShare] = Field(default_factory=list)
    curve: list[CurvePoint] = Field(default_factory=list)
    stages: list[StageEffort] = Field(default_factory=list)
    """By stage. Empty: the margin is not a fine one, or placement of code was not measured or cannot vary."""
    run: str | None = None
    """The command that measures what is not known yet."""
    runs: int = 0
    launches: int = 0
    hosts: int = 0


def plan(
    runs: Sequence[RunLaunches],
    margin: float,
    scenario: str,
    *,
    hosts: int = 1,
    relink_seconds: float = RELINK_SECONDS,
    can_relink: bool = True,
    by_stage: bool = True,
) -> MarginPlan:
    """The plan for a margin, from the launches of earlier runs of a scenario.

    hosts: on which it is measured. can_relink: whether layouts of code can be varied. by_stage: whether to
    plan for each stage, too, which takes most of the time.
    """
    own = [one for one in runs if one.scenario == scenario]
    found = components(observations(own))
    if found is None:
        return MarginPlan(
            margin=margin,
            scenario=scenario,
            reachable=False,
            reason="nothing was measured in this scenario on this host yet, so its noise is unknown",
            run=f"nalm check HEAD HEAD --force --scenario {scenario}",
        )
    seconds, turns, of_launch = seconds_per_launch(own), None, 1.0
    noise = launch_noise(own, seconds, found)
    if noise is not None:
        turns = noise.best_turns
        seconds, of_launch = noise.seconds(turns), noise.variance(turns) / found.variances[Level.LAUNCH]
    known_layouts = Level.LAYOUT in found.variances
    costs = Costs(seconds, relink_seconds, hosts, can_relink and known_layouts)
    variances = {level: _planned(found, level) for level in found.variances}
    variances[Level.LAUNCH] *= of_launch
    effort, allowed = effort_for(variances, margin, costs)
    shares = _level_shares(found)
    draws = [effort_for(one, margin, costs)[0] for one in _drawn(found, of_launch)]
    unknown = None if known_layouts else f"nalm check HEAD~1 HEAD --force --layouts 16 --scenario {scenario}"
    return MarginPlan(
        margin=margin,
        scenario=scenario,
        reachable=effort is not None,
        reason=(
            too_much(variances, allowed, costs)
            if effort is None
            else _why(variances, known_layouts=known_layouts)
        ),
        effort=effort,
        low=_end(draws, (1 - CONFIDENCE) / 2),
        high=_end(draws, (1 + CONFIDENCE) / 2),
        turns=turns,
        seconds_per_launch=seconds,
        shares=shares,
        curve=[] if effort is None else _curve(variances, costs),
        stages=(
            _by_stage(own, margin, costs, of_launch)
            if by_stage and costs.relinks and margin < FINE_MARGIN
            else []
        ),
        run=unknown,
        runs=len(own),
        launches=found.launches,
        hosts=len({one.host for one in own}),
    )


@dataclass(frozen=True, slots=True)
class Costs:
    """seconds: of a launch. relink_seconds: of a further layout. relinks: False: one layout for all."""

    seconds: float
    relink_seconds: float
    hosts: int
    relinks: bool


def _by_stage(
    runs: Sequence[RunLaunches], margin: float, costs: Costs, of_launch: float
) -> list[StageEffort]:
    """The time until a stage's own change decides, for each stage that all launches have. of_launch: factor
    of a launch's variance."""
    launches = observations(runs)
    known = [one.stages.keys() for one in launches]
    stages = [name for name in known[0] if all(name in names for names in known)]
    least = MIN_LAYOUTS * (2 * costs.seconds + costs.relink_seconds) / 60
    # the others cannot undo the change: their interval at CONFIDENCE does not reach as far
    undone = normal_quantile((1 + CONFIDENCE) / 2) + normal_quantile(PLAN_POWER)
    found = []
    for stage in stages if len(stages) > 1 else []:
        own, others = (
            _variances(launches, part, of_launch)
            for part in ([stage], [one for one in stages if one != stage])
        )
        if own is None or others is None:
            continue
        shown, _ = effort_for(own, margin, costs, alpha=DEFAULT_SETTINGS.alpha / 2)
        kept = _least(others, (margin / undone) ** 2, costs)
        minutes = None if shown is None or kept is None else max(shown.minutes, kept.minutes, least)
        found.append(StageEffort(stage=stage, minutes=None if minutes is None else round(minutes, 1)))
    return found


def _variances(
    launches: Sequence[PooledLaunch], stages: Sequence[str], of_launch: float
) -> dict[Level, float] | None:
    """Of the part of the ratio that stages make; None with too few launches."""
    parts = components([part for one in launches if (part := one.of(stages)) is not None])
    if parts is None:
        return None
    variances = {level: _planned(parts, level) for level in parts.variances}
    variances[Level.LAUNCH] *= of_launch
    return variances


def errors_per_margin(launches: int, settings: Settings) -> float:
    """The margin that is found with PLAN_POWER, in standard errors of the last look."""
    change = smallest_change(1e-3, launches, settings)
    return inf if change is None else change / 1e-3 * sqrt(launches)


def effort_for(
    variances: Mapping[Level, float], margin: float, costs: Costs, *, alpha: float = DEFAULT_SETTINGS.alpha
) -> tuple[Effort | None, float]:
    """The effort, and the variance of the mean that it had to reach. None: no launches reach it.

    alpha: error rate of the test of a change, all looks together.
    """
    settings = pool_settings(margin).model_copy(update={"alpha": alpha})
    need = normal_quantile(1 - settings.alpha / 2) + normal_quantile(PLAN_POWER)
    for _ in range(4):  # the sequential rule's quantiles depend on the number of launches
        allowed = (margin / need) ** 2
        found = _least(variances, allowed, costs)
        if found is None:
            break
        need = errors_per_margin(min(max(found.launches, MIN_LAUNCHES + 3), MOST_LAUNCHES), settings)
    return found, allowed


def _least(variances: Mapping[Level, float], allowed: float, costs: Costs) -> Effort | None:
    """The least time for this variance of the mean; None if no launches reach it."""
    launch, layout = variances[Level.LAUNCH], variances.get(Level.LAYOUT, 0.0)
    host, hour = _between_hosts(variances, costs)
    fixed = host + (0.0 if costs.relinks else layout)
    if fixed >= allowed:
        return None
    best: Effort | None = None
    for hours in range(1, MOST_HOURS + 1):
        left = allowed - fixed - hour / hours
        if left <= 0:
            continue
        launches, layouts = _split(launch, layout if costs.relinks else 0.0, left, costs)
        minutes = (launches * costs.seconds + layouts * costs.relink_seconds) / 60
        needed = max(hours, ceil(minutes / 60 / costs.hosts))
        effort = Effort(
            launches=launches, layouts=layouts, hours=needed, hosts=costs.hosts, minutes=round(minutes, 1)
        )
        if launches <= MOST_LAUNCHES and (best is None or effort.minutes < 0.8 * best.minutes):
            best = effort
    return best


def _between_hosts(variances: Mapping[Level, float], costs: Costs) -> tuple[float, float]:
    """What hosts, and hours if there is one of them, leave in the variance of the mean. A single host is what
    the verdict is about; how much others differ is beyond it."""
    host = variances.get(Level.HOST, 0.0) / costs.hosts if costs.hosts > 1 else 0.0
    return host, variances.get(Level.HOUR, 0.0) / costs.hosts


def _split(launch: float, layout: float, allowed: float, costs: Costs) -> tuple[int, int]:
    """(launches, layouts) that reach a variance in the least time."""
    if layout == 0:
        return max(ceil(launch / allowed), MIN_LAUNCHES), 1
    root = sqrt(launch * costs.seconds) + sqrt(layout * costs.relink_seconds)
    layouts = sqrt(layout / costs.relink_seconds) * root / allowed
    launches = sqrt(launch / costs.seconds) * root / allowed
    if layouts > launches:  # a launch has one layout
        launches = layouts = (launch + layout) / allowed
    return max(ceil(launches), MIN_LAUNCHES), max(ceil(layouts), MIN_LAUNCHES)


def _planned(found: Components, level: Level) -> float:
    """The variance that a plan counts on: 0 for hosts and hours that are not shown to differ."""
    if level in (Level.HOST, Level.HOUR) and level not in found.shown:
        return 0.0
    return found.variances[level]


def _drawn(found: Components, of_launch: float) -> list[dict[Level, float]]:
    """Components as they may be: by the chi-square distribution of their degrees of freedom; those that may
    be 0 by their standard errors. of_launch: factor of a launch's variance."""
    rng = np.random.default_rng(1)
    drawn: list[dict[Level, float]] = [{} for _ in range(DRAWS)]
    for place, (level, variance) in enumerate(found.variances.items()):
        if level in found.shown:
            degrees = found.degrees(level)
            values = variance * degrees / rng.chisquare(degrees, DRAWS)
        else:
            values = np.maximum(rng.normal(variance, sqrt(found.covariance[place, place]), DRAWS), 0.0)
        for one, value in zip(drawn, values, strict=True):
            one[level] = float(value) * (of_launch if level is Level.LAUNCH else 1.0)
    return drawn


def _end(draws: Sequence[Effort | None], level: float) -> Effort | None:
    ordered = sorted(draws, key=lambda one: inf if one is None else one.minutes)
    return ordered[min(int(level * len(ordered)), len(ordered) - 1)]


def _level_shares(found: Components) -> list[LevelShare]:
    total = sum(found.variances.values())
    of_mean = sum(variance / found.groups[level] for level, variance in found.variances.items())
    return [
        LevelShare(
            level=level,
            groups=found.groups[level],
            spread=sqrt(variance),
            of_launch=variance / total if total else 0.0,
            of_error=variance / found.groups[level] / of_mean if of_mean else 0.0,
        )
        for level, variance in found.variances.items()
    ]


def _curve(variances: Mapping[Level, float], costs: Costs) -> list[CurvePoint]:
    quantile = normal_quantile((1 + CONFIDENCE) / 2)
    return [
        CurvePoint(minutes=minutes, half_width=quantile * sqrt(error_variance(variances, minutes, costs)))
        for minutes in CURVE_MINUTES
    ]


def error_variance(variances: Mapping[Level, float], minutes: float, costs: Costs) -> float:
    """Of the mean after some minutes on one host, with the best number of layouts: c / minutes, plus what one
    hour, and one layout where nalm cannot link again, leave."""
    launch, layout = variances[Level.LAUNCH], variances.get(Level.LAYOUT, 0.0)
    hour = variances.get(Level.HOUR, 0.0) / max(1, ceil(minutes / 60))
    seconds = 60 * minutes
    if not costs.relinks or layout == 0:
        return launch * costs.seconds / seconds + hour + layout
    root = sqrt(launch * costs.seconds) + sqrt(layout * costs.relink_seconds)
    alone = (launch + layout) * (costs.seconds + costs.relink_seconds)
    return (root**2 if sqrt(layout * costs.seconds) <= sqrt(launch * costs.relink_seconds) else alone) / (
        seconds
    ) + hour


def _why(variances: Mapping[Level, float], *, known_layouts: bool) -> str:
    """What most of a reachable plan's effort is for."""
    largest = max(variances, key=lambda one: variances[one])
    text = f"most of a launch's variance is between {_PLURAL[largest]}"
    if not known_layouts:
        text += "; how much placement of code adds was not measured, so equal code may differ by more"
    return text


def too_much(variances: Mapping[Level, float], allowed: float, costs: Costs) -> str:
    """Why no launches reach a variance of the mean: the largest of the parts that the most launches, layouts
    and hours of a plan leave. Of parts that exceed it without the others, one of these."""
    launch, layout = variances[Level.LAUNCH], variances.get(Level.LAYOUT, 0.0)
    host, hour = _between_hosts(variances, costs)
    left = {
        Level.HOST: host,
        Level.HOUR: hour / MOST_HOURS,
        Level.LAYOUT: 0.0 if costs.relinks else layout,
        Level.LAUNCH: (launch + (layout if costs.relinks else 0.0)) / MOST_LAUNCHES,
    }
    alone = left[Level.LAYOUT] + left[Level.LAUNCH]  # more hosts do not average it out
    fixed = left[Level.HOST] + left[Level.HOUR] + left[Level.LAYOUT]  # more launches do not
    if alone >= allowed:
        named = [Level.LAYOUT, Level.LAUNCH]
    else:
        named = [one for one in left if fixed < allowed or one is not Level.LAUNCH]
    largest = max(named, key=lambda one: left[one])
    if largest is Level.LAYOUT:
        return (
            f"one link of each build has a placement of its own, which moves the ratio by "
            f"±{share_percent(1.96 * sqrt(layout), 2)}; launches do not average that out"
        )
    if largest is Level.HOST:
        too_few = max(floor(costs.hosts * (host + hour / MOST_HOURS) / (allowed - alone)), costs.hosts)
        return f"hosts differ by more than the margin allows: it takes {too_few + 1} hosts or more"
    if largest is Level.HOUR:
        return (
            f"hours differ by more than the margin allows: more than {MOST_HOURS} different hours are needed"
        )
    beside = next((one for one in (fixed, left[Level.LAYOUT]) if one < allowed), 0.0)
    needed, _ = _split(launch, layout if costs.relinks else 0.0, allowed - beside, costs)
    return (
        f"the spread from launch to launch, {share_percent(sqrt(launch), 2)}, takes "
        f"{needed} launches, more than the {MOST_LAUNCHES} of a plan"
    )


_PLURAL = {Level.HOST: "hosts", Level.HOUR: "hours", Level.LAYOUT: "layouts", Level.LAUNCH: "launches"}
