# SPDX-License-Identifier: Apache-2.0
"""The chain's change by the stages that execute changed code.

Most of a chain's noise is in stages that a commit does not touch: there both arms execute the same code, as
often. The change of the other stages, relative to base's chain, has a far narrower interval than the whole
chain's. That the same code costs the same is an assumption (what a stage leaves in the caches may cost the
next one more), so the change of the untouched stages is estimated, too. The rule: docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from math import log

from nalm_core.report.defaults import CONFIDENCE, MIN_LAYOUTS
from nalm_core.report.rounds import PairedLaunch, pair_launches, random_units
from nalm_core.report.run_report import Arm, ArmInfo, RunReport
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

    @property
    def may_decide(self) -> bool:
        """True if there are enough placements of code, and the other stages show no change at CONFIDENCE."""
        low, high = self.others.interval(1 - CONFIDENCE)
        return self.changed.launches >= MIN_LAYOUTS and log(low) <= 0 <= log(high)


def code_estimate(report: RunReport) -> CodeEstimate | None:
    """The estimate of base against head; None if no stages are known to be the changed ones, code was not
    placed in several ways, marks cost a part of the cycles, or too few launches were measured."""
    changed, layouts = report.settings.changed_stages, report.layouts
    if changed is None or layouts is None or not layouts.relinked or report.bare_turns:
        return None
    base, head = (_own_stages(report.arms[arm]) for arm in (Arm.BASE, Arm.HEAD))
    others = [stage for stage in base if stage not in changed]
    if set(base) != set(head) or not set(changed) <= set(base) or not others:
        return None
    units = random_units(report, pair_launches(report, Arm.BASE, Arm.HEAD))
    by_changed, by_others = (_by_stages(units, stages) for stages in (changed, others))
    if by_changed is None or by_others is None:
        return None
    return CodeEstimate(tuple(changed), by_changed, by_others)


def _own_stages(arm: ArmInfo) -> list[str]:
    return [stage.name for stage in arm.stages if not stage.apart]


def _by_stages(units: Sequence[PairedLaunch], stages: Collection[str]) -> RatioEstimate | None:
    """The ratio of the chain's CPP if only these stages had changed."""

    def cost(of: Callable[[str], float]) -> float:
        return sum(of(stage) for stage in stages)

    base = [float(one.base_cpp()) for one in units]
    head = [whole + cost(one.head_cpp) - cost(one.base_cpp) for whole, one in zip(base, units, strict=True)]
    return estimate_ratio(base, head, kept=middle_launches(base, head)) if units else None
