# SPDX-License-Identifier: Apache-2.0
"""Decompositions of measurements: of one run's arms side by side, or of two runs' summaries."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.features.decomposition import (
    Cost,
    Decomposition,
    SideCosts,
    StageCost,
    StagePart,
    assemble,
    decompose,
)
from nalm_core.features.decomposition_text import is_shown
from nalm_core.report.host_match import comparable, differences
from nalm_core.report.judged_arm import equal_code, feature_change
from nalm_core.report.rounds import PairedLaunch, pair_launches, random_units
from nalm_core.report.run_report import Arm, ArmInfo, Host, RunReport
from nalm_core.report.summary import ArmSummary
from nalm_core.stats.estimate import middle_launches
from nalm_core.verdict.attribution import merged_order
from nalm_core.verdict.change import Change

NO_EFFICIENCY = (1.0, None, None, 1.0)


def decompose_run(report: RunReport) -> Decomposition | None:
    """Base to head of one run; None if they were not measured.

    After a change of features, efficiency and mix are those from base to head run with base's features.
    Whatever head's features add belongs to features, also if they slow an old stage.
    """
    if not feature_change(report):
        return _pair(report, Arm.HEAD, same_features=True)
    if equal_code(report):
        return _priced(report, None, Arm.BASE)
    if Arm.HEAD_AS_BASE in report.arms:
        as_base = _pair(report, Arm.HEAD_AS_BASE, same_features=True)
        return _priced(report, as_base, Arm.HEAD_AS_BASE) if as_base else None
    return _pair(report, Arm.HEAD, same_features=False)


def with_chain(found: Decomposition, chain: Change | None) -> Decomposition:
    """The decomposition; if only efficiency changed, with the chain's change and interval as its
    efficiency."""
    if chain is None or chain.ratio_cpp is None or is_shown(found):
        return found
    return found.model_copy(
        update={
            **{"efficiency_ratio": chain.ratio_cpp, "low": chain.low, "high": chain.high},
            "level": chain.level if chain.level is not None else found.level,
        }
    )


def decompose_summaries(
    base: ArmSummary, head: ArmSummary, hosts: tuple[Host, Host] | None = None
) -> Decomposition | None:
    """Two separate runs; None if their hosts cannot be compared or cycles are missing."""
    if hosts is not None and not comparable(differences(*hosts)):
        return None
    old, new = _summed(base), _summed(head)
    if old is None or new is None:
        return None
    same = set(base.features) == set(head.features)
    return decompose(old, new, measured="apart", same_features=same)


def _pair(report: RunReport, arm: Arm, *, same_features: bool) -> Decomposition | None:
    sides = _paired_sides(report, Arm.BASE, arm)
    if sides is None:
        return None
    kept = middle_launches(sides[0].chain, sides[1].chain)
    return decompose(*sides, measured="paired", kept=kept, same_features=same_features)


def _paired_sides(report: RunReport, base: Arm, head: Arm) -> tuple[SideCosts, SideCosts] | None:
    if base not in report.arms or head not in report.arms:
        return None
    launches = random_units(report, pair_launches(report, base, head))
    if not launches:
        return None
    return (
        _side(launches, report.arms[base], is_base=True),
        _side(launches, report.arms[head], is_base=False),
    )


def _side(launches: Sequence[PairedLaunch], info: ArmInfo, *, is_base: bool) -> SideCosts:
    def cpp(stage: str | None = None) -> list[float]:
        return [one.base_cpp(stage) if is_base else one.head_cpp(stage) for one in launches]

    turns = [turn for one in launches for turn in (one.base if is_base else one.head)]
    packets = sum(turn.packets for turn in turns)
    stages = {
        stage.name: StageCost(
            cpp(stage.name), sum(turn.stage_packets.get(stage.name, 0) for turn in turns) / packets
        )
        for stage in info.stages
        if not stage.apart
    }
    return SideCosts(cpp(), stages)


def _summed(summary: ArmSummary) -> SideCosts | None:
    chain = summary.chain.get("cpp")
    if chain is None:
        return None
    stages = {}
    for name in summary.stage_names:
        figures = summary.stages[name]
        if (cpp := figures.get("cpp")) is not None:
            visits = figures.get("visit_rate")
            stages[name] = StageCost(cpp.units, visits.value if visits else None)
    return SideCosts(chain.units, stages)


def _priced(report: RunReport, as_base: Decomposition | None, shared: Arm) -> Decomposition | None:
    """Adds the price of head's features to the change of the arm with base's features (as_base).

    The second comparison has its own pairs, so its ratio is transferred, as in feature_price.feature_split.
    """
    sides = _paired_sides(report, shared, Arm.HEAD)
    if sides is None:
        return as_base
    kept = middle_launches(sides[0].chain, sides[1].chain)
    price = decompose(*sides, measured="paired", kept=kept)
    if price is None:
        return as_base
    scale = (as_base.head_cycles if as_base else price.base_cycles) / price.base_cycles
    return assemble(
        _with_price(as_base.stages if as_base else [], price.stages, scale),
        "head_as_base" if as_base else "equal_code",
        as_base.base_cycles if as_base else price.base_cycles,
        ratios=(as_base.efficiency_ratio, as_base.low, as_base.high, as_base.mix_ratio)
        if as_base
        else NO_EFFICIENCY,
        notes=as_base.notes if as_base else [],
    )


def _with_price(own: Sequence[StagePart], price: Sequence[StagePart], scale: float) -> list[StagePart]:
    """One part per stage: the change by the code, and the change by the features."""
    by_name = {part.stage: part for part in own}
    priced = {part.stage: part for part in price}
    order = merged_order([part.stage for part in own], [part.stage for part in price])
    return [_joined(by_name.get(name), priced.get(name), scale) for name in order]


def _joined(own: StagePart | None, price: StagePart | None, scale: float) -> StagePart:
    """own: base to head as base. price: head as base to head. At least one of them has the stage."""
    if price is None:
        if own is None:
            raise ValueError("a stage is of one side at least")
        return own
    added = price.efficiency_cycles + price.mix_cycles + price.features_cycles + price.model_cycles
    known = own if own is not None and own.base is not None else None
    return StagePart(
        stage=price.stage,
        kind=own.kind if own is not None and known is None else price.kind,
        base=_times(price.base if own is None else own.base, scale if own is None else 1.0),
        head=_times(price.head, scale),
        efficiency_cycles=own.efficiency_cycles if own else 0.0,
        mix_cycles=own.mix_cycles if own else 0.0,
        features_cycles=scale * added,
    )


def _times(cost: Cost | None, scale: float) -> Cost | None:
    if cost is None:
        return None
    per_visit = None if cost.cycles_per_visit is None else cost.cycles_per_visit * scale
    return Cost(cpp=cost.cpp * scale, visits=cost.visits, cycles_per_visit=per_visit)
