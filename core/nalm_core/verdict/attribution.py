# SPDX-License-Identifier: Apache-2.0
"""From a comparison of two arms to the change of the chain and of each stage, and to the stages that pay."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from nalm_core.report.defaults import CULPRIT_SHARE, RELEVANT_SHARE
from nalm_core.report.outcome import ChangedOutcome, Outcome
from nalm_core.report.units import CyclesPerPacket
from nalm_core.stats.discovery import discoveries
from nalm_core.stats.estimate import (
    MiddleLaunches,
    RatioEstimate,
    estimate_ratio,
    estimate_ratio_unpaired,
    middle_launches,
)
from nalm_core.verdict.change import (
    Change,
    Figure,
    StageChange,
    StageKind,
    cause_of,
    figure,
    log_ratio,
    split,
)


@dataclass(frozen=True, slots=True)
class Series:
    """The chain or a stage of one arm: CPP by launch, and IPP."""

    cpp: Sequence[CyclesPerPacket]
    ipp: float | None = None
    ipp_source: str | None = None

    def figure(self, kept: MiddleLaunches | None) -> Figure:
        """Figures over some launches, or all."""
        cpp = self.cpp if kept is None else kept.of(self.cpp)
        return figure(CyclesPerPacket(sum(cpp) / len(cpp)), "tsc", self.ipp, self.ipp_source)


@dataclass(frozen=True, slots=True)
class ArmSeries:
    """One arm: its chain and its own stages in pass order."""

    chain: Series
    stages: dict[str, Series] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Launches:
    """The launches that are compared, the same for chain and stages."""

    kept: MiddleLaunches | None
    """Pairs that take part; None: the launches are not paired."""

    def estimate(self, base: Series | None, head: Series | None) -> RatioEstimate | None:
        if base is None or head is None:
            return None
        if self.kept is None:
            return estimate_ratio_unpaired(base.cpp, head.cpp)
        return estimate_ratio(base.cpp, head.cpp, kept=self.kept)


@dataclass(frozen=True, slots=True)
class Rates:
    """Error rates of the intervals and of the stages' significance."""

    error_rate: float
    """Two-sided error rate of the chain's low and high."""
    false_discovery_rate: float
    """False discovery rate of significant stages, and of their low and high."""
    margin: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Changes from base to head of the chain and of all stages in pass order."""

    chain: Change
    stages: list[StageChange]
    estimate: RatioEstimate | None


def compare_arms(base: ArmSeries, head: ArmSeries, rates: Rates, *, paired: bool = True) -> Comparison:
    """Changes of chain and stages. paired: launches of both arms ran side by side."""
    how = Launches(middle_launches(base.chain.cpp, head.chain.cpp) if paired else None)
    chain, estimate = _change(base.chain, head.chain, how, rates.error_rate)
    chain_base = chain.base.cpp if chain.base else 0.0
    parts = [
        _stage(name, base, head, how, rates) for name in merged_order(list(base.stages), list(head.stages))
    ]
    tested = [part.p_value for part in parts if part.p_value is not None]
    found = iter(discoveries(tested, rates.false_discovery_rate))
    stages = [
        part.model_copy(
            update={
                "significant": part.p_value is not None and next(found),
                "relevant": abs(part.contribution_cycles or 0.0)
                >= RELEVANT_SHARE * rates.margin * chain_base,
            }
        )
        for part in parts
    ]
    return Comparison(chain, stages, estimate)


def merged_order(base: Sequence[str], head: Sequence[str]) -> list[str]:
    """Head's stages in pass order; a removed stage follows the stage that it followed in base."""
    order = list(head)
    for index, name in enumerate(base):
        if name not in order:
            before = base[index - 1] if index else None
            order.insert(order.index(before) + 1 if before is not None else 0, name)
    return order


def culprits(
    comparison: Comparison, outcome: ChangedOutcome, stages: Collection[str] | None = None
) -> list[StageChange]:
    """Stages that bear the chain's change, largest contribution first.

    The time goes there, but the commit's edit may be elsewhere. An added or removed stage, or one without
    cycles in one arm, has no test of its own and counts by its contribution. stages: those that decided the
    outcome; None: the whole chain did.
    """
    chain = comparison.chain
    if chain.base is None or chain.head is None:
        return []
    bearing = [one for one in comparison.stages if stages is None or one.stage in stages]
    total = (
        chain.head.cpp - chain.base.cpp
        if stages is None
        else sum(one.contribution_cycles or 0.0 for one in bearing)
    )
    sign = 1.0 if outcome == Outcome.REGRESSED else -1.0
    found = [
        (sign * stage.contribution_cycles, stage)
        for stage in bearing
        if stage.contribution_cycles is not None
        and (stage.significant or stage.kind != "common" or stage.zero_arm)
        and stage.relevant
        and sign * stage.contribution_cycles >= CULPRIT_SHARE * abs(total)
    ]
    return [stage for _, stage in sorted(found, key=lambda pair: -pair[0])]


def _stage(name: str, base: ArmSeries, head: ArmSeries, how: Launches, rates: Rates) -> StageChange:
    old, new = base.stages.get(name), head.stages.get(name)
    kind: StageKind = "common" if old and new else "added" if new else "removed"
    # At the stages' own rate, so that the interval of a significant stage excludes zero.
    change, _ = _change(old, new, how, rates.false_discovery_rate)
    after, before = (side.cpp if side else 0.0 for side in (change.head, change.base))
    return StageChange(
        **dict(change),
        stage=name,
        kind=kind,
        contribution_cycles=after - before,
        significant=False,
        relevant=False,
        cause=cause_of(change.ln_cpp, change.ln_ipp),
    )


def _change(
    base: Series | None, head: Series | None, how: Launches, error_rate: float
) -> tuple[Change, RatioEstimate | None]:
    estimate = how.estimate(base, head)
    old, new = (side.figure(how.kept) if side else None for side in (base, head))
    ln_cpp = log_ratio(old.cpp if old else None, new.cpp if new else None)
    ln_ipp = log_ratio(old.ipp if old else None, new.ipp if new else None)
    low, high = estimate.interval(error_rate) if estimate else (None, None)
    change = Change(
        base=old,
        head=new,
        ratio_cpp=new.cpp / old.cpp if old and new and old.cpp > 0 else None,
        low=low,
        high=high,
        level=1 - error_rate if estimate else None,
        p_value=estimate.p_value() if estimate else None,
        ln_cpp=ln_cpp,
        ln_ipp=ln_ipp,
        ln_eipc=split(ln_cpp, ln_ipp),
    )
    return change, estimate
