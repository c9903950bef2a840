# SPDX-License-Identifier: Apache-2.0
"""The chain's change by the stages that execute changed code.

Most of a chain's noise is in stages that a commit does not touch: there both arms execute the same code, as
often. The change of the other stages, relative to base's chain, has a far narrower interval than the whole
chain's. That the same code costs the same is an assumption (what a stage leaves in the caches may cost the
next one more), so the change of the untouched stages is estimated, too. The rule: docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
    placements: int
    """Placements of code that were measured."""

    @property
    def may_decide(self) -> bool:
        """True if there are enough placements of code, and the other stages show no change at CONFIDENCE."""
        low, high = self.others.interval(1 - CONFIDENCE)
        return self.placements >= MIN_LAYOUTS and low <= 1 <= high


def code_estimate(report: RunReport, units: Sequence[PairedLaunch] | None = None) -> CodeEstimate | None:
    """The estimate of base against head; None without stages whose change alone may decide, or with too few
    launches. units: the random units of base and head, if they are known."""
    stages, changed = common_stages(report, Arm.HEAD), deciding_stages(report)
    if changed is None:
        return None
    if units is None:
        units = random_units(report, pair_launches(report, Arm.BASE, Arm.HEAD))
    base = [float(one.base_cpp()) for one in units]
    by_changed, by_others = (
        _ratio(base, [with_change(one, of) for one in units])
        for of in (changed, [stage for stage in stages if stage not in changed])
    )
    if by_changed is None or by_others is None:
        return None
    return CodeEstimate(tuple(changed), by_changed, by_others, len(units))


def deciding_stages(report: RunReport) -> list[str] | None:
    """The stages that execute changed code, if their change alone may decide. None: they are unknown, all
    stages are, or code was not placed in several ways."""
    changed, layouts = report.settings.changed_stages, report.layouts
    stages = common_stages(report, Arm.HEAD)
    if changed is None or layouts is None or not layouts.relinked or not set(changed) < set(stages):
        return None
    return changed


def common_stages(report: RunReport, arm: Arm) -> list[str]:
    """The stages of the chain, by whose changes that of the chain can be divided. Empty if base and the arm
    have different ones, or if the chain was measured without marks, and stages with them."""
    base, other = (
        [stage.name for stage in report.arms[one].stages if not stage.apart] for one in (Arm.BASE, arm)
    )
    return base if set(base) == set(other) and not report.bare_turns else []


def with_change(launch: PairedLaunch, stages: Collection[str]) -> float:
    """CPP of base's chain with the change of some of its stages."""
    return launch.base_cpp() + sum(launch.head_cpp(stage) - launch.base_cpp(stage) for stage in stages)


def _ratio(base: Sequence[float], head: Sequence[float]) -> RatioEstimate | None:
    return estimate_ratio(base, head, kept=middle_launches(base, head)) if base else None
