# SPDX-License-Identifier: Apache-2.0
"""The function that pays within the stage that pays: by its own cycles, else by instructions, else by calls.

The time goes there; the edit that causes it is often elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from nalm_core.explain.model import NamedBy
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.verdict.instruction_change import FunctionChange
from nalm_core.verdict.places import in_repository
from nalm_core.verdict.profile_change import FunctionShift
from nalm_core.verdict.verdict import Verdict

T = TypeVar("T")
Place = tuple[str | None, int | None]


@dataclass(frozen=True, slots=True)
class Payer:
    """A function, its place, and how it was found."""

    name: str
    named_by: NamedBy
    place: Place
    """File and line; the file is None if unknown."""
    shift: FunctionShift | None = None
    counted: FunctionChange | None = None


def payer(report: RunReport, verdict: Verdict, stage: str | None, sign: int) -> Payer | None:
    """The function that pays; None if unknown. sign: 1 for growth, -1 for a fall."""
    head = verdict.judged_arm or Arm.HEAD
    changes = verdict.instruction_changes
    counted = [one for each in changes if stage in (None, each.stage) for one in each.functions]
    sampled = [one for one in verdict.functions or [] if stage in (None, one.stage)]
    if shift := _most(sampled, lambda one: sign * (one.head_cpp - one.base_cpp)):
        same = next((one for one in counted if one.name == shift.name), None)
        return Payer(shift.name, "samples", _sampled_place(report, head, shift), shift, same)
    if grown := most_grown(counted, sign):
        return Payer(grown.name, "instructions", counted_place(report, head, grown.name), None, grown)
    if called := _most(counted, lambda one: sign * _calls_grown(one)):
        return Payer(called.name, "calls", counted_place(report, head, called.name), None, called)
    return None


def most_grown(counted: Iterable[FunctionChange], sign: int) -> FunctionChange | None:
    """The function whose instructions changed most in this direction."""
    return _most(counted, lambda one: sign * ((one.head_ipp or 0.0) - (one.base_ipp or 0.0)))


def _calls_grown(one: FunctionChange) -> float:
    return 0.0 if one.base_calls is None or one.head_calls is None else one.head_calls - one.base_calls


def _most(of: Iterable[T], by: Callable[[T], float]) -> T | None:
    found = max(of, key=by, default=None)
    return found if found is not None and by(found) > 0 else None


def _sampled_place(report: RunReport, head: Arm, shift: FunctionShift) -> Place:
    """The repository's line with most of head's samples; for inlined code the line of its caller."""
    for profile in report.profiles:
        for function in profile.functions if profile.arm is head else ():
            if (function.name, function.stage) == (shift.name, shift.stage):
                own = [line for line in function.lines if in_repository(line.file)]
                if own:
                    most = max(own, key=lambda line: line.samples)
                    return most.file, most.line
    return shift.file, shift.line


def counted_place(report: RunReport, head: Arm, name: str) -> Place:
    """The place of the function's first instruction in head, or in base if head lacks it."""
    places = [
        (function.file, function.line)
        for arm in (head, Arm.BASE)
        for count in report.instructions
        if count.arm is arm
        for functions in count.functions.values()
        for function in functions
        if function.name == name and function.file is not None
    ]
    return places[0] if places else (None, None)
