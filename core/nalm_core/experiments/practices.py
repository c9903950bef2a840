# SPDX-License-Identifier: Apache-2.0
"""Practices of the advice joined with what variants measured: what each practice was worth here.

A rule of advice.toml names its variants by words; a variant whose name has one of them is an instance of the
practice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log

from nalm_core.experiments.constants import REACH_ALPHA
from nalm_core.explain.model import Direction
from nalm_core.explain.rules import Rule, begins_a_word, rules
from nalm_core.report.cell import Tuning
from nalm_core.report.run_report import Model
from nalm_core.stats.discovery import familywise
from nalm_core.text.percents import share_percent

REVERSED = ("no_", "without_")
"""Names that begin so are of variants that leave the practice out."""


@dataclass(frozen=True)
class Effect:
    """A variant off and on in one chain. ratio: CPP on / off. p_value: of equal CPP; None without an
    interval. stages: CPP by stage, if they were compared."""

    variant: str
    tuning: Tuning | None
    chain: str
    ratio: float
    low: float | None
    high: float | None
    p_value: float | None
    side_by_side: bool
    stages_off: Mapping[str, float] = field(default_factory=dict)
    stages_on: Mapping[str, float] = field(default_factory=dict)

    @property
    def faster(self) -> bool:
        return self.high is not None and self.high < 1

    @property
    def slower(self) -> bool:
        return self.low is not None and self.low > 1


class PracticeEffect(Model):
    """What a variant measured in one chain."""

    variant: str
    chain: str
    ratio_cpp: float
    """With the practice / without it."""
    low: float | None
    high: float | None
    stage: str | None
    """The stage in which most cycles were saved, or lost; null without a comparison of stages."""
    side_by_side: bool
    """False: of scenarios that did not run side by side."""
    says: str


class Practice(Model):
    rule: str
    title: str
    direction: Direction
    text: str
    source: str
    measured: list[PracticeEffect]
    """The largest saving first; empty: no variant of this project tried the practice."""


class VariantContribution(Model):
    """A rectangle of Wu et al.'s Fig. 13: reach wide, contribution high."""

    variant: str
    tuning: Tuning | None
    chains: int
    reached: int
    """Chains that the variant makes faster, at REACH_ALPHA over all its chains (Holm)."""
    contribution: float
    """CPP off / on, the geometric mean of the reached chains; 1 if it reaches none."""
    side_by_side: bool


class Practices(Model):
    practices: list[Practice]
    """Measured ones first."""
    variants: list[VariantContribution]
    """The highest contribution first."""


def practices(effects: Sequence[Effect]) -> Practices:
    """Joins the rules of the advice with measured effects. The first effect of a variant and chain counts."""
    known = list(_first_of_each(_forward(one) for one in effects))
    joined = [_practice(rule, known) for rule in rules()]
    return Practices(
        practices=sorted(joined, key=lambda one: not one.measured), variants=_contributions(known)
    )


def _forward(effect: Effect) -> Effect:
    """The effect of having the practice, where the variant leaves it out."""
    start = next((one for one in REVERSED if effect.variant.startswith(one)), None)
    if start is None:
        return effect
    return Effect(
        variant=effect.variant.removeprefix(start),
        tuning=effect.tuning,
        chain=effect.chain,
        ratio=1 / effect.ratio,
        low=None if effect.high is None else 1 / effect.high,
        high=None if effect.low is None else 1 / effect.low,
        p_value=effect.p_value,
        side_by_side=effect.side_by_side,
        stages_off=effect.stages_on,
        stages_on=effect.stages_off,
    )


def _first_of_each(effects: Iterable[Effect]) -> Iterable[Effect]:
    known: dict[tuple[str, str], Effect] = {}
    for one in effects:
        known.setdefault((one.variant, one.chain), one)
    return known.values()


def _practice(rule: Rule, effects: Sequence[Effect]) -> Practice:
    tried = [one for one in effects if any(begins_a_word(word, one.variant) for word in rule.variants)]
    return Practice(
        rule=rule.id,
        title=rule.title,
        direction=rule.direction,
        text=rule.advice,
        source=rule.source,
        measured=[_shown(one) for one in sorted(tried, key=lambda one: one.ratio)],
    )


def _shown(one: Effect) -> PracticeEffect:
    stage = _paying(one)
    return PracticeEffect(
        variant=one.variant,
        chain=one.chain,
        ratio_cpp=one.ratio,
        low=one.low,
        high=one.high,
        stage=stage,
        side_by_side=one.side_by_side,
        says=_says(one, stage),
    )


def _paying(one: Effect) -> str | None:
    """The stage that changed most in the chain's direction."""
    changes = {
        name: one.stages_on.get(name, 0.0) - one.stages_off.get(name, 0.0)
        for name in {*one.stages_off, *one.stages_on}
    }
    if not changes or one.ratio == 1:
        return None
    sign = -1 if one.ratio < 1 else 1
    most = max(sorted(changes), key=lambda name: sign * changes[name])
    return most if sign * changes[most] > 0 else None


def _says(one: Effect, stage: str | None) -> str:
    if not (one.faster or one.slower):
        known = one.low is not None and one.high is not None
        return f"{one.variant}: {one.chain} {'does not differ beyond its' if known else 'has no'} interval"
    verb = "saved" if one.faster else "cost"
    low, high = sorted(abs(1 - (end or 1.0)) for end in (one.low, one.high))
    interval = f"[{100 * low:.1f}, {100 * high:.1f}]"
    text = f"{one.variant} {verb} {share_percent(abs(1 - one.ratio))} {interval} of {one.chain}'s cycles"
    before = one.stages_off.get(stage or "", 0.0)
    if stage is None or before <= 0:
        return text
    own = abs(1 - one.stages_on.get(stage, 0.0) / before)
    return f"{text}, most of it in {stage}: {share_percent(own)} of its own"


def _reached(effects: Sequence[Effect]) -> list[Effect]:
    """Those of one variant that are faster, at REACH_ALPHA over all its chains."""
    sure = familywise([1.0 if one.p_value is None else one.p_value for one in effects], REACH_ALPHA)
    return [one for one, found in zip(effects, sure, strict=True) if found and one.ratio < 1]


def _contributions(effects: Sequence[Effect]) -> list[VariantContribution]:
    by_variant: dict[str, list[Effect]] = defaultdict(list)
    for one in effects:
        by_variant[one.variant].append(one)
    found = []
    for name, ones in by_variant.items():
        reached = _reached(ones)
        mean = sum(log(1 / one.ratio) for one in reached) / len(reached) if reached else 0.0
        found.append(
            VariantContribution(
                variant=name,
                tuning=next((one.tuning for one in ones if one.tuning), None),
                chains=len(ones),
                reached=len(reached),
                contribution=exp(mean),
                side_by_side=all(one.side_by_side for one in ones),
            )
        )
    return sorted(found, key=lambda one: -one.contribution)
