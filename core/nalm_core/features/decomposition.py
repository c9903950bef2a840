# SPDX-License-Identifier: Apache-2.0
"""Splits a change of CPP between any two builds into efficiency, mix, features and model, without a
remainder.

Formulas, and the treatment of missing figures: docs/statistics.md, "Across feature sets".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Final, Literal

from pydantic import Field

from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.run_report import Model
from nalm_core.stats.estimate import MiddleLaunches, estimate_ratio, estimate_ratio_unpaired
from nalm_core.stats.fisher import Common, FisherSplit, fisher_split
from nalm_core.verdict.attribution import merged_order

Measured = Literal["paired", "head_as_base", "equal_code", "apart"]
PartKind = Literal["common", "added", "removed", "model"]

HAND_OVER: Final = ("handover", "ring")
"""Prefixes of stages that only move packets between lcores and belong to the execution model."""


class Cost(Model):
    """Cost of one side's stage. The stages of a side add up to its chain."""

    cpp: float
    """Cycles per packet."""
    visits: float
    """Visits per packet."""
    cycles_per_visit: float | None
    """None for a stage that no packet visits."""


class StagePart(Model):
    """One stage's contribution to each part, in cycles per packet; the stages add up to the part."""

    stage: str
    kind: PartKind
    base: Cost | None
    head: Cost | None
    efficiency_cycles: float = 0.0
    mix_cycles: float = 0.0
    features_cycles: float = 0.0
    model_cycles: float = 0.0


class Decomposition(Model):
    """head_cycles - base_cycles = total = efficiency + mix + features + model, cycles per packet."""

    measured: Measured
    """paired: both ran side by side. head_as_base: efficiency and mix are those of head with base's features.
    equal_code: the features cause the whole change. apart: from two runs."""
    base_cycles: float
    head_cycles: float
    total_cycles: float
    efficiency_cycles: float
    """Change of the cost of common stages' visits: the only part that can be a regression."""
    mix_cycles: float
    """Change of the number of visits of common stages."""
    features_cycles: float
    """Stages added or removed with the features."""
    model_cycles: float
    """Hand-overs between lcores that were added or removed."""
    efficiency_ratio: float | None
    """Fisher's index of the cycles per visit, head / base. None without a common stage that has a cost."""
    low: float | None
    high: float | None
    """Interval of efficiency_ratio over launches, at `level`; visits are counted, not estimated."""
    level: float = CONFIDENCE
    mix_ratio: float | None
    stages: list[StagePart]
    """In pass order; what is gone after what it followed in base."""
    notes: list[str] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StageCost:
    """One stage of one side."""

    cpp: Sequence[float]
    """Cycles per packet, by launch."""
    visits: float | None
    """Visits per packet; None if they were not counted."""


@dataclass(frozen=True, slots=True)
class SideCosts:
    """One side: its chain by launch, and its own stages in pass order."""

    chain: Sequence[float]
    stages: dict[str, StageCost]


def decompose(
    base: SideCosts,
    head: SideCosts,
    *,
    measured: Measured,
    kept: MiddleLaunches | None = None,
    same_features: bool = False,
) -> Decomposition | None:
    """The change from base to head; None where a side has no cycles by stage.

    kept: launch i of both sides ran side by side, and these take part; None: launches are not paired.
    same_features: added and removed stages then count as the same work, divided differently.
    """
    old, new = _scaled(base, kept), _scaled(head, kept)
    if old is None or new is None:
        return None
    names = merged_order(list(old), list(new))
    pieces = [_piece(name, old.get(name), new.get(name)) for name in names]
    groups = _groups(pieces, same_features=same_features)
    commons = [_common(group) for group in groups]
    split = fisher_split(commons)
    parts = _parts(pieces, groups, split)
    low, high = _interval(groups, commons, split, kept)
    base_cycles = sum(one.mean for one in old.values())
    return assemble(
        parts,
        measured,
        base_cycles,
        ratios=(_exp(split.ln_costs), low, high, _exp(split.ln_visits)),
        notes=_notes(pieces, same_features=same_features),
    )


def assemble(
    parts: Sequence[StagePart],
    measured: Measured,
    base_cycles: float,
    ratios: tuple[float | None, float | None, float | None, float | None],
    notes: list[str],
) -> Decomposition:
    """Sums the columns. ratios: efficiency, its low and high, mix."""
    efficiency, mix, features, model = (
        sum(getattr(part, f"{column}_cycles") for part in parts)
        for column in ("efficiency", "mix", "features", "model")
    )
    total = efficiency + mix + features + model
    return Decomposition(
        measured=measured,
        base_cycles=base_cycles,
        head_cycles=base_cycles + total,
        total_cycles=total,
        efficiency_cycles=efficiency,
        mix_cycles=mix,
        features_cycles=features,
        model_cycles=model,
        efficiency_ratio=ratios[0],
        low=ratios[1],
        high=ratios[2],
        mix_ratio=ratios[3],
        stages=list(parts),
        notes=notes,
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """A stage, scaled so that its side's stages add up to the chain."""

    cpp: list[float]
    mean: float
    visits: float | None

    @property
    def cost(self) -> Cost:
        visits = 0.0 if not self.visits and self.mean == 0 else self.visits or 1.0
        return Cost(cpp=self.mean, visits=visits, cycles_per_visit=self.mean / visits if visits > 0 else None)


@dataclass(frozen=True, slots=True)
class _Piece:
    name: str
    kind: PartKind
    base: _Side | None
    head: _Side | None


def _scaled(side: SideCosts, kept: MiddleLaunches | None) -> dict[str, _Side] | None:
    """Stages' figures, scaled so that they add up to the chain's; None without cycles to scale."""
    chain = _mean(side.chain, kept)
    means = {name: _mean(stage.cpp, kept) for name, stage in side.stages.items()}
    whole = sum(means.values())
    if whole <= 0 or chain <= 0:
        return None
    scale = chain / whole
    return {
        name: _Side([value * scale for value in stage.cpp], means[name] * scale, stage.visits)
        for name, stage in side.stages.items()
    }


def _mean(values: Sequence[float], kept: MiddleLaunches | None) -> float:
    chosen = list(values) if kept is None else kept.of(values)
    return sum(chosen) / len(chosen) if chosen else 0.0


def _piece(name: str, old: _Side | None, new: _Side | None) -> _Piece:
    if old is not None and new is not None:
        return _Piece(name, "common", old, new)
    if name.startswith(HAND_OVER):
        return _Piece(name, "model", old, new)
    return _Piece(name, "removed" if new is None else "added", old, new)


def _groups(pieces: Sequence[_Piece], *, same_features: bool) -> list[list[_Piece]]:
    """Groups that are compared: each common stage; with equal features, all added with all removed stages."""
    groups = [[piece] for piece in pieces if piece.kind == "common"]
    moved = [piece for piece in pieces if piece.kind in ("added", "removed")]
    return [*groups, moved] if same_features and moved else groups


def _common(group: Sequence[_Piece]) -> Common:
    """Visits and costs of a group.

    If one side's packets never visit a stage, a visit is assumed to cost the same as on the other side. If
    visits were not counted on both sides, each packet is assumed to visit the stage once.
    """
    first = group[0]
    if first.base is None or first.head is None or len(group) > 1:
        sides = (
            sum(one.base.mean for one in group if one.base),
            sum(one.head.mean for one in group if one.head),
        )
        return Common((1.0, 1.0), sides)
    old, new = first.base, first.head
    if old.visits and new.visits:
        return Common((old.visits, new.visits), (old.mean / old.visits, new.mean / new.visits))
    if new.visits and old.visits == 0 and old.mean == 0:
        return Common((0.0, new.visits), (new.mean / new.visits,) * 2)
    if old.visits and new.visits == 0 and new.mean == 0:
        return Common((old.visits, 0.0), (old.mean / old.visits,) * 2)
    return Common((1.0, 1.0), (old.mean, new.mean))


def _parts(
    pieces: Sequence[_Piece], groups: Sequence[Sequence[_Piece]], split: FisherSplit
) -> list[StagePart]:
    shared = {}
    for group, efficiency, mix in zip(groups, split.efficiency, split.mix, strict=True):
        shared.update(_within(group, efficiency, mix))
    return [
        StagePart(
            stage=piece.name,
            kind=piece.kind,
            base=piece.base.cost if piece.base else None,
            head=piece.head.cost if piece.head else None,
            **(shared.get(piece.name) or _moved(piece)),
        )
        for piece in pieces
    ]


def _within(group: Sequence[_Piece], efficiency: float, mix: float) -> dict[str, dict[str, float]]:
    """Divides a group's parts among its stages, in proportion to their contributions."""
    if len(group) == 1:
        return {group[0].name: {"efficiency_cycles": efficiency, "mix_cycles": mix}}
    added = {one.name: _added(one) for one in group}
    whole = sum(added.values())
    scale = efficiency / whole if whole else 1.0
    return {name: {"efficiency_cycles": scale * value} for name, value in added.items()}


def _moved(piece: _Piece) -> dict[str, float]:
    return {"model_cycles" if piece.kind == "model" else "features_cycles": _added(piece)}


def _added(piece: _Piece) -> float:
    return (piece.head.mean if piece.head else 0.0) - (piece.base.mean if piece.base else 0.0)


def _interval(
    groups: Sequence[Sequence[_Piece]],
    commons: Sequence[Common],
    split: FisherSplit,
    kept: MiddleLaunches | None,
) -> tuple[float | None, float | None]:
    """Interval of the efficiency index, from its linear form by launch (delta method)."""
    if split.ln_costs is None:
        return None, None
    sides = [
        _linear(groups, commons, side, weights)
        for side, weights in enumerate((split.base_weights, split.head_weights))
    ]
    found = estimate_ratio_unpaired(*sides) if kept is None else estimate_ratio(*sides, kept=kept)
    return replace(found, ln_ratio=split.ln_costs).interval(1 - CONFIDENCE) if found else (None, None)


def _linear(
    groups: Sequence[Sequence[_Piece]], commons: Sequence[Common], side: int, weights: Sequence[float]
) -> list[float]:
    """Weighted cycles per visit of one side by launch, with mean 1."""
    by_launch: list[float] = []
    for group, common, weight in zip(groups, commons, weights, strict=True):
        for index, cycles in enumerate(_launches(group, side)):
            by_launch += [0.0] * (index + 1 - len(by_launch))
            by_launch[index] += weight * (
                cycles / common.visits[side] if common.visits[side] else common.costs[side]
            )
    return by_launch


def _launches(group: Sequence[_Piece], side: int) -> list[float]:
    """Cycles per packet of the group by launch."""
    found = [one.cpp for piece in group if (one := (piece.base, piece.head)[side]) is not None]
    return [sum(values) for values in zip(*found, strict=True)]


def _notes(pieces: Sequence[_Piece], *, same_features: bool) -> list[str]:
    notes = []
    came, gone, models, uncounted = (
        ", ".join(one.name for one in pieces if test(one))
        for test in (
            lambda one: one.kind == "added",
            lambda one: one.kind == "removed",
            lambda one: one.kind == "model",
            _uncounted,
        )
    )
    if came and gone and not same_features:
        notes.append(f"{gone} removed and {came} added: stages are matched by name, none counts as renamed.")
    if (came or gone) and same_features:
        moved = ", ".join(filter(None, (gone, came)))
        notes.append(f"The feature set is the same: {moved} count as the same work, divided differently.")
    if models:
        notes.append(f"{models}: hand-overs between lcores belong to the execution model.")
    if uncounted:
        notes.append(f"Visits of {uncounted} were not counted on both sides: one per packet is assumed.")
    if not any(one.kind == "common" for one in pieces):
        notes.append("The two sides have no stage in common: their efficiency cannot be compared.")
    return notes


def _uncounted(piece: _Piece) -> bool:
    return (
        piece.base is not None
        and piece.head is not None
        and (piece.base.visits is None or piece.head.visits is None)
    )


def _exp(value: float | None) -> float | None:
    return None if value is None else exp(value)
