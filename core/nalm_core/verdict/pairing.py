# SPDX-License-Identifier: Apache-2.0
"""From a report's rounds and instruction counts to the two arms' series, launch by launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from nalm_core.report.instructions import ArmIpp, arm_ipp, common_source
from nalm_core.report.rounds import PairedLaunch, pair_launches, random_units
from nalm_core.report.run_report import Arm, Check, RunReport
from nalm_core.report.units import CyclesPerPacket
from nalm_core.verdict.attribution import ArmSeries, Series
from nalm_core.verdict.checks import all_checks, changes_of
from nalm_core.verdict.packet_outcomes import OutcomeChange


@dataclass(frozen=True)
class Pairs:
    """The series of a report's arms in pairs, its checks and its changes of outcomes, each made once."""

    report: RunReport
    _made: dict[tuple[Arm, Arm], tuple[ArmSeries, ArmSeries] | None] = field(default_factory=dict)
    _launches: dict[tuple[Arm, Arm], list[PairedLaunch]] = field(default_factory=dict)

    @cached_property
    def outcome_changes(self) -> list[OutcomeChange]:
        return changes_of(self.report)

    @cached_property
    def checks(self) -> list[Check]:
        return all_checks(self.report, self.outcome_changes)

    def launches(self, base: Arm, head: Arm) -> list[PairedLaunch]:
        """The launches that take part."""
        if (base, head) not in self._launches:
            self._launches[base, head] = pair_launches(self.report, base, head)
        return self._launches[base, head]

    def units(self, base: Arm, head: Arm) -> list[PairedLaunch]:
        """The launches, or layouts, that take part."""
        return random_units(self.report, self.launches(base, head))

    def of(self, base: Arm, head: Arm) -> tuple[ArmSeries, ArmSeries] | None:
        """Both arms over the launches, or layouts, that take part; None if there are none."""
        if (base, head) not in self._made:
            self._made[base, head] = _paired_series(self.report, base, head, self.units(base, head))
        return self._made[base, head]


def _paired_series(
    report: RunReport, base: Arm, head: Arm, launches: Sequence[PairedLaunch]
) -> tuple[ArmSeries, ArmSeries] | None:
    """Both arms over the launches, or layouts, that take part; None if there are none."""
    if not launches:
        return None
    source = common_source(report.instructions, (base, head))

    def series(arm: Arm) -> ArmSeries:
        info = report.arms[arm]
        ipp = arm_ipp(report.instructions, arm, info, source)

        def cpp(stage: str | None) -> list[CyclesPerPacket]:
            return [one.base_cpp(stage) if arm is base else one.head_cpp(stage) for one in launches]

        # A stage known by its functions alone has no cycles: they are missing, not 0.
        timed = {name for one in report.rounds if one.arm is arm for name in one.stages}
        own = [stage.name for stage in info.stages if not stage.apart and stage.name in timed]
        return ArmSeries(_chain(cpp(None), ipp), {name: _stage(cpp(name), ipp, name) for name in own})

    return series(base), series(head)


def _chain(cpp: list[CyclesPerPacket], ipp: ArmIpp | None) -> Series:
    return Series(cpp) if ipp is None else Series(cpp, ipp.chain, ipp.source)


def _stage(cpp: list[CyclesPerPacket], ipp: ArmIpp | None, name: str) -> Series:
    if ipp is None or name not in ipp.stages:
        return Series(cpp)
    return Series(cpp, ipp.stages[name], ipp.source)
