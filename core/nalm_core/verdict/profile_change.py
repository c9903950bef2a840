# SPDX-License-Identifier: Apache-2.0
"""C functions that pay for a change in cycles, from samples of both arms scaled to their CPP.

Samples are an estimate: a function is named only if its change is beyond their scatter. A profile lists its
most sampled functions; another one has at most as many samples as the least sampled of them.
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
    """0: not among the functions that the profile lists."""
    head_cpp: float
    error: float
    """Standard error of head_cpp - base_cpp, with the samples that a function has which is not listed."""


def function_shifts(
    report: RunReport, head: Arm, base_cpp: float, head_cpp: float
) -> list[FunctionShift] | None:
    """Functions whose cycles a packet changed beyond FUNCTION_ERRORS standard errors, largest change first.

    None when one of the arms was not sampled.
    """
    profiles = {profile.arm: profile for profile in report.profiles}
    if Arm.BASE not in profiles or head not in profiles:
        return None
    old = _Costs(profiles[Arm.BASE], _apart(report, Arm.BASE), base_cpp)
    new = _Costs(profiles[head], _apart(report, head), head_cpp)
    found = []
    for key in dict.fromkeys([*new.functions, *old.functions]):
        before, after = old.cpp(key), new.cpp(key)
        least_before, least_after = old.nearest(key, after), new.nearest(key, before)
        error = sqrt(old.each * least_before + new.each * least_after)
        where = new.functions.get(key) or old.functions[key]
        if abs(least_after - least_before) > FUNCTION_ERRORS * error:
            found.append(
                FunctionShift(
                    name=key[0],
                    stage=key[1],
                    file=where.file,
                    line=where.line,
                    base_cpp=before,
                    head_cpp=after,
                    error=error,
                )
            )
    return sorted(found, key=lambda one: -abs(one.head_cpp - one.base_cpp))[:SHOWN_FUNCTIONS]


def _apart(report: RunReport, arm: Arm) -> frozenset[str]:
    return frozenset(stage.name for stage in report.arms[arm].stages if stage.apart)


class _Costs:
    """Functions of an arm, without generator and sink, and the cycles per packet of one sample."""

    def __init__(self, profile: Profile, apart: frozenset[str], cpp: float) -> None:
        own = profile.samples - sum(count for stage, count in profile.stages.items() if stage in apart)
        self.each = cpp / own if own > 0 else 0.0
        listed = [one for one in profile.functions if own > 0 and one.stage not in apart]
        self.functions: dict[Key, ProfiledFunction] = {(one.name, one.stage): one for one in listed}
        self.most_unlisted = profile.most_unlisted * self.each

    def cpp(self, key: Key) -> float:
        """Cycles per packet; 0 of a function that is not listed."""
        return self.functions[key].samples * self.each if key in self.functions else 0.0

    def nearest(self, key: Key, other: float) -> float:
        """Cycles per packet; of a function that is not listed those of the other arm, as far as it may have
        them."""
        return self.cpp(key) if key in self.functions else min(other, self.most_unlisted)
