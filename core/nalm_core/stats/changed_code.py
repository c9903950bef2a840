# SPDX-License-Identifier: Apache-2.0
"""The chain's change by the stages that execute changed code.

Most of a chain's noise is in stages that a commit does not touch: there both arms execute the same code, as
often. The change of the other stages, relative to base's chain, has a far narrower interval than the whole
chain's. That the same code costs the same is an assumption (what a stage leaves in the caches may cost the
next one more), so the change of the untouched stages is estimated, too. The rule: docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from nalm_core.report.defaults import CONFIDENCE, MIN_LAYOUTS
from nalm_core.report.rounds import PairedLaunch, pair_launches, random_units
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.stats.estimate import RatioEstimate, estimate_ratio, middle_launches


@dataclass(frozen=True, slots=True)
class CodeEstimate:
    """Ratios head / base of the chain's CPP, each with the change of some stages alone."""

    stages: tuple[str, ...]
    """The stages that execute changed code."""
    changed: RatioEstimate
    """With the change of these stages."""
    others: RatioEstimate
    """With the change of all other stages."""
    each_other: tuple[RatioEstimate, ...]
    """With the change of each of the others."""
    placements: int
    """Placements of code that were measured."""

    @property
    def may_decide(self) -> bool:
        """True if there are enough placements of code, no other stage shows a change, nor all of them
        together, and they cannot undo the change of the stages with changed code: all at CONFIDENCE."""
        rate = 1 - CONFIDENCE
        low, high = self.others.interval(rate)
        against = low if self.changed.ratio > 1 else high
        undone = (self.changed.ratio * against - 1) * (self.changed.ratio - 1) <= 0
        # Holm's first step: none of several tests is significant
        quiet = all(one.p_value() * len(self.each_other) >= rate for one in self.each_other)
        return self.placements >= MIN_LAYOUTS and low <= 1 <= high and quiet and not undone


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
    others = [stage for stage in stages if stage not in changed]
    found = [ratio(part) for part in (changed, others, *([stage] for stage in others))]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    return CodeEstimate(tuple(changed), known[0], known[1], tuple(known[2:]), placements)


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
