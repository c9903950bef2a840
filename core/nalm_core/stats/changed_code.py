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
    placements: int
    """Placements of code that were measured."""

    @property
    def may_decide(self) -> bool:
        """True if there are enough placements of code, and the other stages show no change at CONFIDENCE."""
        low, high = self.others.interval(1 - CONFIDENCE)
        return self.placements >= MIN_LAYOUTS and low <= 1 <= high


@dataclass(frozen=True, slots=True)
class Parts:
    """The stages of a chain."""

    changed: tuple[str, ...]
    """Those that execute changed code."""
    others: tuple[str, ...]

    def with_changed(self, launch: PairedLaunch) -> float:
        """CPP of base's chain with the change of the stages that execute changed code."""
        return _with_change(launch, self.changed)

    def with_others(self, launch: PairedLaunch) -> float:
        """CPP of base's chain with the change of all other stages."""
        return _with_change(launch, self.others)


def parts_of(report: RunReport) -> Parts | None:
    """The stages of both arms' chain; None if no stages are known to be the changed ones, if code was not
    placed in several ways, or if marks cost a part of the cycles."""
    changed, layouts = report.settings.changed_stages, report.layouts
    if changed is None or layouts is None or not layouts.relinked or report.bare_turns:
        return None
    base, head = (_own_stages(report.arms[arm]) for arm in (Arm.BASE, Arm.HEAD))
    others = [stage for stage in base if stage not in changed]
    if set(base) != set(head) or not set(changed) <= set(base) or not others:
        return None
    return Parts(tuple(changed), tuple(others))


def code_estimate(report: RunReport) -> CodeEstimate | None:
    """The estimate of base against head; None without these parts, or with too few launches."""
    parts = parts_of(report)
    if parts is None:
        return None
    units = random_units(report, pair_launches(report, Arm.BASE, Arm.HEAD))
    base = [float(one.base_cpp()) for one in units]
    changed, others = (
        _ratio(base, [cost(one) for one in units]) for cost in (parts.with_changed, parts.with_others)
    )
    if changed is None or others is None:
        return None
    return CodeEstimate(parts.changed, changed, others, len(units))


def _own_stages(arm: ArmInfo) -> list[str]:
    return [stage.name for stage in arm.stages if not stage.apart]


def _with_change(launch: PairedLaunch, stages: Collection[str]) -> float:
    return launch.base_cpp() + sum(launch.head_cpp(stage) - launch.base_cpp(stage) for stage in stages)


def _ratio(base: Sequence[float], head: Sequence[float]) -> RatioEstimate | None:
    return estimate_ratio(base, head, kept=middle_launches(base, head)) if base else None
