# SPDX-License-Identifier: Apache-2.0
"""The cost per packet of each C function on two sides that were counted or sampled in the same way.

Instructions are exact, and those of the function itself, without callees. Cycles are samples scaled to the
side's CPP, with the standard error of sampling. A function that is missing on one side did not run there, or
is not among the costliest of its stage.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import sqrt

from pydantic import Field

from nalm_core.report.instructions import PREFERENCE
from nalm_core.report.profile import Profile, ProfiledFunction
from nalm_core.report.run_report import Arm, InstructionCount, Model, RunReport, Source
from nalm_core.report.summary import summarise

SHOWN = 100
"""Number of listed functions, those that changed most first."""
SHOWN_LINES = 40
"""Number of listed lines of a function on one side, costliest first."""
LEAST_SAMPLES = 25
"""Fewest samples of a function whose cycles have a history: its standard error is 20 % then."""
Key = tuple[str | None, str]
"""Stage and name."""


@dataclass(frozen=True, slots=True)
class SideOf:
    """One arm of one report."""

    report: RunReport
    arm: Arm
    cpp: float | None
    """The chain's CPP; None if its cycles cannot be compared with the other side's."""


class LineCost(Model):
    """One source line of a function or of code inlined into it. None: not counted, or not sampled."""

    file: str
    line: int
    ipp: float | None = None
    cpp: float | None = None


class FunctionCost(Model):
    """One function on one side. None: not counted, or not sampled."""

    file: str | None = None
    line: int | None = None
    ipp: float | None = None
    calls: float | None = None
    """Calls per packet."""
    cpp: float | None = None
    error: float | None = None
    """Standard error of cpp."""
    lines: list[LineCost] = Field(default_factory=list)
    """Costliest first."""


class FunctionCosts(Model):
    name: str
    stage: str | None
    """None: outside every stage."""
    base: FunctionCost | None
    head: FunctionCost | None


def side_of(report: RunReport, arm: Arm) -> SideOf:
    """An arm with its cycles per packet."""
    figure = summarise(report, arm).chain.get("cpp") if arm in report.arms else None
    return SideOf(report, arm, figure.value if figure else None)


def sampled_cycles(report: RunReport, arm: Arm) -> dict[Key, tuple[float, float]]:
    """Cycles per packet and their standard error, by stage and function, of functions with LEAST_SAMPLES."""
    if all(one.arm is not arm for one in report.profiles):
        return {}
    side = side_of(report, arm)
    profile = _profile(side)
    if profile is None or side.cpp is None:
        return {}
    apart = report.arms[arm].apart_stages()
    samples: dict[Key, int] = defaultdict(int)
    for one in profile.functions:
        if one.stage not in apart:
            samples[one.stage, one.name] += one.samples
    each = _each_sample(profile, apart, side.cpp)
    return {
        key: (count * each, sqrt(count) * each)
        for key, count in samples.items()
        if each is not None and count >= LEAST_SAMPLES
    }


def function_costs(base: SideOf, head: SideOf, *, lines: int = SHOWN_LINES) -> list[FunctionCosts]:
    """Functions of both sides, largest change first. Empty if nothing was counted on both sides, or one side
    was not built.

    lines: most lines of each function on each side."""
    if any(side.arm not in side.report.arms for side in (base, head)):
        return []
    source = _common_source(base, head)
    before, after = (_costs(side, source, _sampled(base, head), lines) for side in (base, head))
    found = [
        FunctionCosts(name=key[1], stage=key[0], base=before.get(key), head=after.get(key))
        for key in dict.fromkeys([*before, *after])
    ]
    return sorted(found, key=_size, reverse=True)[:SHOWN]


def _size(one: FunctionCosts) -> tuple[float, float]:
    """The change of the cost, then the cost."""
    base, head = one.base or FunctionCost(), one.head or FunctionCost()
    instructions = (base.ipp or 0.0), (head.ipp or 0.0)
    cycles = (base.cpp or 0.0), (head.cpp or 0.0)
    return max(abs(b - a) for a, b in (instructions, cycles)), max(*instructions, *cycles)


def _common_source(base: SideOf, head: SideOf) -> Source | None:
    for source in PREFERENCE:
        if _count(base, source) and _count(head, source):
            return source
    return None


def _count(side: SideOf, source: Source | None) -> InstructionCount | None:
    counts = side.report.instructions
    return next((one for one in counts if one.arm is side.arm and one.source is source), None)


def _sampled(base: SideOf, head: SideOf) -> bool:
    """Both sides have samples and cycles to scale them to."""
    return all(side.cpp is not None and _profile(side) is not None for side in (base, head))


def _profile(side: SideOf) -> Profile | None:
    return next((one for one in side.report.profiles if one.arm is side.arm), None)


def _costs(side: SideOf, source: Source | None, sampled: bool, lines: int) -> dict[Key, FunctionCost]:
    count, profile = _count(side, source), _profile(side) if sampled else None
    apart = {stage.name for stage in side.report.arms[side.arm].stages if stage.apart}
    counted = _counted(count, lines) if count else {}
    timed = _timed(profile, apart, side.cpp) if profile and side.cpp is not None else {}
    return {
        key: _joined(counted.get(key), timed.get(key), lines)
        for key in dict.fromkeys([*counted, *timed])
        if key[0] not in apart
    }


def _joined(counted: FunctionCost | None, timed: FunctionCost | None, most: int) -> FunctionCost:
    """A function's counts and samples. Its place is the counted one, otherwise that of most samples."""
    if counted is None or timed is None:
        return counted or timed or FunctionCost()
    where = counted if counted.file else timed
    stated = {"ipp": counted.ipp, "calls": counted.calls, "file": where.file, "line": where.line}
    return timed.model_copy(update={**stated, "lines": _joined_lines(counted.lines, timed.lines)[:most]})


def _joined_lines(counted: Sequence[LineCost], timed: Sequence[LineCost]) -> list[LineCost]:
    ipp, cpp = ({(one.file, one.line): one for one in lines} for lines in (counted, timed))
    joined = [
        LineCost(
            file=at[0],
            line=at[1],
            ipp=ipp[at].ipp if at in ipp else None,
            cpp=cpp[at].cpp if at in cpp else None,
        )
        for at in dict.fromkeys([*ipp, *cpp])
    ]
    return sorted(joined, key=lambda one: (-(one.ipp or 0.0), -(one.cpp or 0.0)))


def _counted(count: InstructionCount, most: int) -> dict[Key, FunctionCost]:
    lines = _counted_lines(count)
    return {
        (stage, one.name): FunctionCost(
            file=one.file,
            line=one.line,
            ipp=one.instructions / count.packets,
            calls=one.calls / count.packets,
            lines=lines.get((stage, one.name), [])[:most],
        )
        for stage, listed in count.functions.items()
        for one in listed
    }


def _counted_lines(count: InstructionCount) -> dict[Key, list[LineCost]]:
    found: dict[Key, list[LineCost]] = defaultdict(list)
    for one in count.lines:
        found[one.stage, one.function] += [
            LineCost(file=one.file, line=line, ipp=cost / count.packets) for line, cost in one.lines.items()
        ]
    return {key: sorted(lines, key=lambda line: -(line.ipp or 0.0)) for key, lines in found.items()}


def _each_sample(profile: Profile, apart: Collection[str], cpp: float) -> float | None:
    """Cycles per packet of one sample; None without samples of the NF's own."""
    own = profile.samples - sum(profile.stages.get(stage, 0) for stage in apart)
    return cpp / own if own > 0 else None


def _timed(profile: Profile, apart: set[str], cpp: float) -> dict[Key, FunctionCost]:
    each = _each_sample(profile, apart, cpp)
    if each is None:
        return {}
    return {(one.stage, one.name): _by_samples(one, each) for one in profile.functions}


def _by_samples(one: ProfiledFunction, each: float) -> FunctionCost:
    """A function's cost by samples. each: cycles per packet of one sample."""
    lines = [LineCost(file=line.file, line=line.line, cpp=line.samples * each) for line in one.lines]
    error = sqrt(one.samples) * each
    return FunctionCost(file=one.file, line=one.line, cpp=one.samples * each, error=error, lines=lines)
