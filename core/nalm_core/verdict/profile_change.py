# SPDX-License-Identifier: Apache-2.0
"""C functions that pay for a change in cycles, from samples of both arms scaled to their CPP.

Samples are an estimate: a function is named only if its change is beyond their scatter.
"""

from __future__ import annotations

from math import sqrt

from nalm_core.report.defaults import FUNCTION_ERRORS
from nalm_core.report.profile import Profile, ProfiledFunction
from nalm_core.report.run_report import Arm, Model, RunReport

SHOWN_FUNCTIONS = 5
Key = tuple[str, str | None]


class FunctionShift(Model):
    """Cycles a packet of one function's own under one stage, in both arms, by samples."""

    name: str
    stage: str | None
    file: str | None
    line: int | None
    """Where most of head's samples fell, or base's if head has none."""
    base_cpp: float
    head_cpp: float
    error: float
    """Standard error of head_cpp - base_cpp."""


def function_shifts(
    report: RunReport, head: Arm, base_cpp: float, head_cpp: float
) -> list[FunctionShift] | None:
    """Functions whose cycles a packet changed beyond FUNCTION_ERRORS standard errors, largest change first.

    None when one of the arms was not sampled.
    """
    profiles = {profile.arm: profile for profile in report.profiles}
    if Arm.BASE not in profiles or head not in profiles:
        return None
    old = _costs(profiles[Arm.BASE], _apart(report, Arm.BASE), base_cpp)
    new = _costs(profiles[head], _apart(report, head), head_cpp)
    found = []
    for key in dict.fromkeys([*new, *old]):
        (before, before_error, _), (after, after_error, _) = old.get(key, _NOTHING), new.get(key, _NOTHING)
        error = sqrt(before_error**2 + after_error**2)
        where = new.get(key, old.get(key, _NOTHING))[2]
        if abs(after - before) > FUNCTION_ERRORS * error:
            found.append(
                FunctionShift(
                    name=key[0],
                    stage=key[1],
                    file=where.file if where else None,
                    line=where.line if where else None,
                    base_cpp=before,
                    head_cpp=after,
                    error=error,
                )
            )
    return sorted(found, key=lambda one: -abs(one.head_cpp - one.base_cpp))[:SHOWN_FUNCTIONS]


_NOTHING: tuple[float, float, ProfiledFunction | None] = (0.0, 0.0, None)


def _apart(report: RunReport, arm: Arm) -> frozenset[str]:
    return frozenset(stage.name for stage in report.arms[arm].stages if stage.apart)


def _costs(
    profile: Profile, apart: frozenset[str], cpp: float
) -> dict[Key, tuple[float, float, ProfiledFunction | None]]:
    """Cycles per packet, their standard error, and the function, without generator and sink."""
    own = profile.samples - sum(count for stage, count in profile.stages.items() if stage in apart)
    if own <= 0:
        return {}
    each = cpp / own
    return {
        (function.name, function.stage): (function.samples * each, sqrt(function.samples) * each, function)
        for function in profile.functions
        if function.stage not in apart
    }
