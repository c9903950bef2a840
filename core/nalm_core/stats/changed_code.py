# SPDX-License-Identifier: Apache-2.0
"""The chain's change by the stages that execute changed code.

Most of a chain's noise is in stages that a commit does not touch: there both arms execute the same code, as
often. The change of the other stages, relative to base's chain, has a far narrower interval than the whole
chain's. That the same code costs the same is an assumption (what a stage leaves in the caches may cost the
next one more), so the change of the untouched stages is estimated, too, and counts where it shows. The rule:
docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from nalm_core.report.defaults import CONFIDENCE, MIN_LAYOUTS
from nalm_core.report.rounds import PairedLaunch, pair_launches, random_units
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.stats.discovery import familywise
from nalm_core.stats.estimate import RatioEstimate, estimate_ratio, middle_launches


@dataclass(frozen=True, slots=True)
class CodeEstimate:
    """Ratios head / base of the chain's CPP, each with the change of some stages alone."""

    stages: tuple[str, ...]
    """The stages that execute changed code."""
    shown: tuple[str, ...]
    """Others, with the same code, that show a change at CONFIDENCE (Holm 1979, over all others)."""
    own: RatioEstimate
    """With the change of the stages alone that execute changed code."""
    changed: RatioEstimate
    """With their change, and that of the others that show one."""
    others: RatioEstimate | None
    """With the change of all that remain; None: every stage shows a change."""
    placements: int
    """Placements of code that were measured."""

    @property
    def may_decide(self) -> bool:
        """True if there are enough placements of code, and all that remain together show no change, and
        cannot undo the others': both at CONFIDENCE. If none remains, the chain decides."""
        if self.others is None:
            return False
        low, high = self.others.interval(1 - CONFIDENCE)
        against = low if self.changed.ratio > 1 else high
        undone = (self.changed.ratio * against - 1) * (self.changed.ratio - 1) <= 0
        return self.placements >= MIN_LAYOUTS and low <= 1 <= high and not undone


def code_estimate(report: RunReport, units: Sequence[PairedLaunch] | None = None) -> CodeEstimate | None:
    """The estimate of base against head; None without stages whose change alone may decide, or with too few
    launches. units: the random units of base and head, if they are known."""
    changed = deciding_stages(report)
    if changed is None:
        return None
    if units is None:
        units = random_units(report, pair_launches(report, Arm.BASE, Arm.HEAD))
    paired, base = units, [float(one.base_cpp()) for one in units]

    def ratio(stages: Sequence[str]) -> RatioEstimate | None:
        head = [with_change(one, stages) for one in paired]
        return estimate_ratio(base, head, kept=middle_launches(base, head)) if base else None

    return by_parts(changed, common_stages(report, Arm.HEAD), ratio, len(paired))


def by_parts(
    changed: Sequence[str],
    stages: Iterable[str],
    ratio: Callable[[Sequence[str]], RatioEstimate | None],
    placements: int,
) -> CodeEstimate | None:
    """The estimate from the ratios of its parts; None if one has none.

    stages: all of the chain. ratio: head / base of the chain, with the change of some stages alone.
    """
    each = {stage: ratio([stage]) for stage in stages if stage not in changed}
    tests = [one.p_value() for one in each.values() if one is not None]
    if len(tests) < len(each):
        return None
    significant = dict(zip(each, familywise(tests, 1 - CONFIDENCE), strict=True))
    shown = [stage for stage in each if significant[stage]]
    rest = [stage for stage in each if not significant[stage]]
    own, others = ratio(changed), ratio(rest) if rest else None
    both = ratio([*changed, *shown]) if shown else own
    if own is None or both is None or (rest and others is None):
        return None
    return CodeEstimate(tuple(changed), tuple(shown), own, both, others, placements)


def deciding_stages(report: RunReport) -> list[str] | None:
    """The stages that execute changed code, if their change alone may decide. None: they are unknown, all
    stages are, or code was not placed in several ways."""
    changed, layouts = report.settings.changed_stages, report.layouts
    stages = common_stages(report, Arm.HEAD)
    if changed is None or layouts is None or not layouts.relinked or not set(changed) < set(stages):
        return None
    return list(dict.fromkeys(changed))


def common_stages(report: RunReport, arm: Arm) -> list[str]:
    """The stages of the chain, by whose changes that of the chain can be divided. Empty if base and the arm
    have different ones, or if the chain was measured without marks, and stages with them."""
    if not {Arm.BASE, arm} <= report.arms.keys():
        return []
    base, other = (
        [stage.name for stage in report.arms[one].stages if not stage.apart] for one in (Arm.BASE, arm)
    )
    return base if set(base) == set(other) and not report.bare_turns else []


def with_change(launch: PairedLaunch, stages: Collection[str]) -> float:
    """CPP of base's chain with the change of some of its stages."""
    return launch.base_cpp() + sum(launch.head_cpp(stage) - launch.base_cpp(stage) for stage in stages)
