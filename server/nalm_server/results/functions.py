# SPDX-License-Identifier: Apache-2.0
"""Enters the most expensive C functions of a valid run's head into their series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nalm_core.profiles.function_costs import sampled_cycles
from nalm_core.report.instructions import PREFERENCE
from nalm_core.report.run_report import Arm, InstructionCount, RunReport
from sqlalchemy.orm import Session

from nalm_server.results.models import RunRow
from nalm_server.results.series import functions_repository as repository
from nalm_server.results.series.functions_repository import FunctionKey, FunctionValue
from nalm_server.results.series.models import FUNCTION_BYTES

COVERED = 0.99
"""Functions begin a series, most expensive first, until this share of a report's instructions is covered:
the others are many and cheap."""
MOST = 64
"""Maximum number of series that one run begins: enough for COVERED in a chain of eight stages, and a limit
for reports made elsewhere."""


NOT_SAMPLED = (None, None)


class Counted(NamedTuple):
    key: FunctionKey
    ipp: float
    calls: float
    cpp: float | None
    """None: too few samples, or none."""
    error: float | None
    """Standard error of cpp."""


def counted(report: RunReport, arm: Arm = Arm.HEAD) -> list[Counted]:
    """Functions of the arm's own stages, most expensive first; empty if none was counted."""
    count = _count(report, arm)
    if count is None or arm not in report.arms:
        return []
    apart = {stage.name for stage in report.arms[arm].stages if stage.apart}
    sums: dict[FunctionKey, tuple[int, int]] = {}
    for stage, functions in count.functions.items():
        for one in functions if stage not in apart else ():
            key = FunctionKey(stage, one.name, count.source)
            instructions, calls = sums.get(key, (0, 0))
            sums[key] = (instructions + one.instructions, calls + one.calls)
    cycles = sampled_cycles(report, arm)
    found = [
        Counted(
            key, n / count.packets, calls / count.packets, *cycles.get((key.stage, key.function), NOT_SAMPLED)
        )
        for key, (n, calls) in sums.items()
    ]
    return sorted(found, key=lambda one: (-one.ipp, one.key))


def _count(report: RunReport, arm: Arm) -> InstructionCount | None:
    """The count of the preferred source that names functions."""
    of_arm = [one for one in report.instructions if one.arm is arm and one.functions]
    return min(of_arm, key=lambda one: PREFERENCE.index(one.source), default=None)


def enter(session: Session, run: RunRow, found: Sequence[Counted], series: Mapping[FunctionKey, int]) -> None:
    """One value per series: for the most expensive functions, and for those that already have a series."""
    values = [FunctionValue(series[one.key], run.id, *one[1:]) for one in found if one.key in series]
    repository.add_values(session, values)


def costliest(found: Sequence[Counted]) -> list[FunctionKey]:
    """found: most expensive first. The fewest that reach COVERED, at most MOST, with names that a series can
    have."""
    rest = sum(one.ipp for one in found)
    least = (1 - COVERED) * rest
    kept: list[FunctionKey] = []
    for one in found:
        if rest <= least or len(kept) == MOST:
            break
        rest -= one.ipp
        if len(one.key.function.encode()) <= FUNCTION_BYTES:
            kept.append(one.key)
    return kept
