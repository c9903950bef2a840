# SPDX-License-Identifier: Apache-2.0
"""The verdict on a pair by all launches of all its runs, on any host and at any time.

Runs are added to a pair until it is decided, so the pool has looks of its own: at planned numbers of
launches, in the order in which they ran, with the error rates spent over them as within a run
(nalm_core.stats.sequential). A look that decides settles the outcome, by what its launches show; further
launches sharpen the present estimate, and decide nothing. At equal counts a change that placement alone can
make needs as many placements as in a run (nalm_core.verdict.placement); those of all runs count together. The
result is a function of the stored runs alone, whoever calculates it, and when.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import exp

from pydantic import Field

from nalm_core.pooling.components import (
    Components,
    Level,
    PairMean,
    PooledLaunch,
    components,
    observations,
    pair_mean,
)
from nalm_core.pooling.constants import POOL_FIRST_LOOK, POOL_LAUNCHES
from nalm_core.pooling.launches import RunLaunches
from nalm_core.report.defaults import CONFIDENCE, DEFAULT_SETTINGS, EQUIVALENCE_ALPHA, MIN_LAYOUTS
from nalm_core.report.outcome import CHANGED, Decided, Outcome
from nalm_core.report.run_report import Model, Settings
from nalm_core.stats.changed_code import CodeEstimate, by_parts
from nalm_core.stats.estimate import RatioEstimate
from nalm_core.stats.sequential import decide_at, decide_by, look_schedule, settings_of_each_test, spent_at
from nalm_core.text.amounts import amount
from nalm_core.text.percents import bracketed_percent, change_percent, margin_percent, share_percent
from nalm_core.verdict.code_change import in_stages
from nalm_core.verdict.placement import reaches_placement


class LevelShare(Model):
    """What one level adds."""

    level: Level
    groups: int
    """Hosts, hours, layouts or launches."""
    spread: float
    """Standard deviation of ln ratio between groups."""
    of_launch: float
    """Share of the variance of one launch's ratio."""
    of_error: float
    """Share of the variance of the pool's ratio."""


class PoolFigure(Model):
    """A ratio with its interval."""

    ratio: float
    """head / base."""
    low: float
    high: float
    level: float
    """Confidence level of low and high."""


class PairPool(PoolFigure):
    """A pair by all of its launches: its ratio is the present estimate, at CONFIDENCE."""

    margin: float
    outcome: Decided
    reason: str
    launches: int
    runs: int
    hosts: int
    decided_after: int | None = None
    """Launches of the look that decided; None: undecided."""
    decided_by: PoolFigure | None = None
    """What the look that decided found in its launches, at the level of its test; None: undecided."""
    changed_stages: list[str] | None = None
    """The stages with changed code, if their change alone decided; None: the whole chain's."""
    next_look: int | None = None
    """Launches at the next look; None after the last, and once decided."""
    shares: list[LevelShare] = Field(default_factory=list)
    turn_share: float | None = None
    """Share of the variance of one launch's ratio that its turns explain; None if it is unknown."""
    placement: float | None = None
    """Half of the range in which the ratio of 95 % of layouts lies; None: there was one layout."""
    relinked: bool = False
    """True if code was placed in several ways, not stack and heap alone."""

    @property
    def placement_text(self) -> str | None:
        """The line about placement; None without several layouts."""
        if self.placement is None:
            return None
        how = "" if self.relinked else " (stack and heap alone: nalm could not link the builds again)"
        return f"placement moves this by ±{share_percent(self.placement, 2)}{how}"


def pool(
    runs: Sequence[RunLaunches],
    margin: float,
    *,
    others: Sequence[RunLaunches] = (),
    settings: Settings | None = None,
) -> PairPool | None:
    """Judges a pair by its runs; None with fewer than two launches.

    others: runs of other pairs in the scenario, which show how much hosts, hours and layouts differ; with few
    groups of its own a pair's components are hardly known. settings: error rates and looks; the default's
    with POOL_LAUNCHES.
    """
    ordered = observations(sorted(runs, key=lambda one: (one.started_at, one.run_id)))
    if len(ordered) < 2:
        return None
    planned = pool_settings(margin, settings)
    beside = observations(others)
    schedule = look_schedule(planned)
    equal_counts = any(one.equal_counts for one in runs)
    outcome, decided_after, decided_by, placed, by_code = None, None, None, False, None
    for look, launches in enumerate(schedule, start=1):
        if launches > len(ordered) or outcome is not None:
            break
        done = ordered[:launches]
        mean = _mean(done, beside)
        tested = planned.model_copy(update={"changed_stages": _changed_stages(done)})
        chain = None if mean is None else mean[0].estimate
        outcome, by_code = decide_by(chain, partial(_code, done, tested, look), tested, look)
        placed = (
            mean is not None
            and equal_counts
            and outcome in CHANGED
            and _placements(done) < MIN_LAYOUTS
            and reaches_placement(mean[0].estimate, tested, look)
        )
        if placed:
            outcome = None
        if outcome is not None and mean is not None:
            alpha = settings_of_each_test(tested).alpha
            spent = 2 * EQUIVALENCE_ALPHA if outcome == Outcome.SAME else alpha
            deciding = mean[0].estimate if by_code is None else by_code.changed
            decided_after, decided_by = launches, _figure(deciding, spent_at(spent, planned, look))
    found = _mean(ordered, beside)
    if found is None:
        return None
    mean_of_all, parts = found
    later = next((one for one in schedule if one > len(ordered)), None) if outcome is None else None
    reason = _untried(runs, ordered) if placed else _open(margin, len(ordered), later)
    if outcome is not None and decided_by is not None:
        how = _how(outcome, decided_by, margin, by_code)
        reason = f"decided after {decided_after} of {len(ordered)} launches: {how}"
    now = _figure(mean_of_all.estimate, 1 - CONFIDENCE)
    layout = parts.sd(Level.LAYOUT)
    return PairPool(
        margin=margin,
        outcome=outcome or Outcome.INCONCLUSIVE,
        reason=reason,
        ratio=now.ratio,
        low=now.low,
        high=now.high,
        level=now.level,
        launches=len(ordered),
        runs=len(runs),
        hosts=len({one.host for one in runs}),
        decided_after=decided_after,
        decided_by=decided_by,
        changed_stages=None if by_code is None else list(by_code.stages),
        next_look=later,
        shares=_shares(mean_of_all, parts),
        turn_share=None if parts.turn_variance is None else parts.turn_variance / _total(parts),
        placement=None if layout is None else exp(1.96 * layout) - 1,
        relinked=any(one.relinked and any(launch.layout for launch in one.launches) for one in runs),
    )


def pool_settings(margin: float, settings: Settings | None = None) -> Settings:
    """The looks and error rates of a pool."""
    planned = {"max_launches": POOL_LAUNCHES, "first_look": POOL_FIRST_LOOK}
    of_pair = settings or DEFAULT_SETTINGS.model_copy(update=planned)
    return of_pair.model_copy(update={"margin": margin, "equal_counts": False})


def _mean(own: Sequence[PooledLaunch], beside: Sequence[PooledLaunch]) -> tuple[PairMean, Components] | None:
    found = components([*own, *beside])
    return None if found is None else (pair_mean(own, found), found)


def _changed_stages(own: Sequence[PooledLaunch]) -> list[str] | None:
    """The stages with changed code, by all launches whose runs know them: their builds are the same."""
    known = {tuple(one.changed_stages) for one in own if one.changed_stages is not None}
    return list(known.pop()) if len(known) == 1 else None


def _code(own: Sequence[PooledLaunch], settings: Settings, look: int) -> CodeEstimate | None:
    """The pair's mean by the stages with changed code, and by the others; None if these are unknown, or show
    no change at the look by themselves: the fits of the others, which take long, could not decide then."""
    stages = settings.changed_stages
    changed = None if stages is None else _part(own, stages)
    if stages is None or decide_at(changed, settings_of_each_test(settings), look) not in CHANGED:
        return None

    def ratio(of: Sequence[str]) -> RatioEstimate | None:
        return changed if of is stages else _part(own, of)

    return by_parts(stages, own[0].stages, ratio, _placements(own))


def _part(own: Sequence[PooledLaunch], stages: Sequence[str]) -> RatioEstimate | None:
    """The mean of a part of the ratio, by components of its own: other pairs changed other stages."""
    taken = [part for one in own if (part := one.of(stages)) is not None]
    found = _mean(taken, []) if len(taken) == len(own) else None
    return None if found is None else found[0].estimate


def _figure(estimate: RatioEstimate, error_rate: float) -> PoolFigure:
    low, high = estimate.interval(error_rate)
    return PoolFigure(ratio=estimate.ratio, low=low, high=high, level=1 - error_rate)


def _total(parts: Components) -> float:
    return sum(parts.variances.values())


def _shares(mean: PairMean, parts: Components) -> list[LevelShare]:
    total = _total(parts)
    return [
        LevelShare(
            level=level,
            groups=parts.groups[level],
            spread=variance**0.5,
            of_launch=variance / total if total else 0.0,
            of_error=mean.error_shares[level],
        )
        for level, variance in parts.variances.items()
    ]


def _how(outcome: Decided, by: PoolFigure, margin: float, code: CodeEstimate | None) -> str:
    """What decided, in words. code: of the stages with changed code, if these did."""
    if outcome == Outcome.SAME:
        return f"{_size(by)} is within ±{margin_percent(margin)}"
    what = "" if code is None else f" by changed code {in_stages(code)},"
    return f"{_size(by)}{what} excludes 0 and reaches the margin of {margin_percent(margin)}"


def _open(margin: float, launches: int, later: int | None) -> str:
    """Why nothing is decided."""
    size = margin_percent(margin)
    if later is None:
        return f"undecided at a margin of {size} after all {launches} planned launches"
    return f"undecided at a margin of {size}: the next look is after {later} launches, {launches} are done"


def _placements(launches: Sequence[PooledLaunch]) -> int:
    return len({one.placement for one in launches})


def _untried(runs: Sequence[RunLaunches], launches: Sequence[PooledLaunch]) -> str:
    """Why a change is not called one of the code."""
    why = "no instruction changed, so the placement of code may be the whole change"
    found = _placements(launches)
    if found >= MIN_LAYOUTS:
        return f"{why}: {found} placements were measured, too late for the last look"
    more = "a run with --layouts, or judge.layouts in nalm.toml, measures more"
    if not all(one.relinked for one in runs):
        more = "nalm could not link the builds again with another placement"
    return f"{why}: {found} of the {MIN_LAYOUTS} placements that would tell were measured; {more}"


def in_words(found: PairPool) -> str:
    """The pool in one line."""
    return (
        f"{found.outcome}: {_size(found)} by all {found.launches} launches of "
        f"{amount(found.runs, 'run')} on {amount(found.hosts, 'host')}; {found.reason}"
    )


def _size(found: PoolFigure) -> str:
    return f"{change_percent(found.ratio - 1)} {bracketed_percent(found.low - 1, found.high - 1)}"
