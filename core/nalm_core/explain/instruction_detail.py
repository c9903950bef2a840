# SPDX-License-Identifier: Apache-2.0
"""Details of a change in instructions: more per call, more calls, more visits, a new function, a lost
inlining, or smaller batches. Improvements are the same in reverse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nalm_core.explain.case import Case
from nalm_core.explain.collect import per_call
from nalm_core.explain.limits import (
    BATCH_CHANGE,
    BULK_CALLS,
    BULK_GROWTH,
    BULK_WORK,
    CALL_CHANGE,
    INLINED_SHARE,
    VISIT_CHANGE,
)
from nalm_core.explain.model import Detail
from nalm_core.explain.payer import most_grown
from nalm_core.explain.signature import Signature
from nalm_core.report.run_report import Arm
from nalm_core.verdict.instruction_change import FunctionChange

BACKWARDS: Mapping[Detail, Detail] = {
    "more_instructions": "fewer_instructions",
    "more_calls": "fewer_calls",
    "new_function": "function_gone",
    "inlining_lost": "inlined",
}
COUNTED: Final = frozenset((*BACKWARDS, *BACKWARDS.values(), "more_visits", "fewer_visits"))
"""Details that exact counts show."""
BATCHES: Final[tuple[Detail, ...]] = ("smaller_batches", "larger_batches")


def batches_shrank(case: Case, found: Signature) -> bool:
    """True if the stage's batches shrank, or, unless instructions are the cause, the bulks of a function that
    works on several packets at once."""
    batch = found.both("mean_batch")
    if batch is not None and min(batch) > 0:
        old, new = batch if case.sign > 0 else batch[::-1]
        if new / old - 1 <= -BATCH_CHANGE:
            return True
    return case.cause != "instructions" and any(_bulk_shrank(one, case.sign) for one in case.functions)


def instruction_detail(case: Case, found: Signature) -> Detail:
    """The detail of a change whose cause is instructions."""
    visits = found.relative("visit_rate")
    if visits is not None and case.sign * visits >= VISIT_CHANGE and _as_dear_per_visit(found, case.sign):
        return "more_visits" if case.sign > 0 else "fewer_visits"
    function = case.who.counted if case.who is not None else None
    # Samples may name code without a name, which no count has.
    function = function or most_grown(case.functions, case.sign)
    detail = "more_instructions" if function is None else _of_function(case, function)
    return detail if case.sign > 0 else BACKWARDS[detail]


def _of_function(case: Case, change: FunctionChange) -> Detail:
    one = _forward(change, case.sign)
    if one.base_ipp is None and _was_absent(case, one):
        others = (_forward(other, case.sign) for other in case.functions)
        return (
            "inlining_lost"
            if any(_shrank(other, one.head_ipp or 0.0) for other in others)
            else "new_function"
        )
    return "more_calls" if _by_calls(one) else "more_instructions"


def _bulk_shrank(change: FunctionChange, sign: int) -> bool:
    one = _forward(change, sign)
    old, new = per_call(one.base_ipp, one.base_calls), per_call(one.head_ipp, one.head_calls)
    if old is None or new is None or not one.base_calls or one.head_calls is None:
        return False
    grown = one.head_calls / one.base_calls
    smaller = grown >= BULK_GROWTH and new <= old / BULK_GROWTH
    return one.base_calls <= BULK_CALLS and smaller and grown * new >= BULK_WORK * old


def _as_dear_per_visit(found: Signature, sign: int) -> bool:
    """True if the stage's instructions grew no more than its visits."""
    ipp, visits = found.relative("ipp"), found.relative("visit_rate")
    return ipp is not None and visits is not None and abs(sign * (ipp - visits)) <= VISIT_CHANGE


def _forward(one: FunctionChange, sign: int) -> FunctionChange:
    """The change in the direction of a regression: an improvement is reversed."""
    if sign > 0:
        return one
    return FunctionChange(
        name=one.name,
        base_ipp=one.head_ipp,
        head_ipp=one.base_ipp,
        base_calls=one.head_calls,
        head_calls=one.base_calls,
    )


def _was_absent(case: Case, one: FunctionChange) -> bool:
    """True if the function hardly ran before: reports name the costliest functions, and it would be among
    them."""
    count = case.counted(Arm.BASE if case.sign > 0 else case.head)
    listed = [
        function
        for stage, functions in (count.functions.items() if count else ())
        if case.stage in (None, stage)
        for function in functions
    ]
    if count is None or not listed or any(function.name == one.name for function in listed):
        return False
    return (one.head_ipp or 0.0) > 2 * min(function.instructions for function in listed) / count.packets


def _shrank(other: FunctionChange, came: float) -> bool:
    if other.base_ipp is None:
        return False
    return other.base_ipp - (other.head_ipp or 0.0) >= INLINED_SHARE * came


def _by_calls(one: FunctionChange) -> bool:
    """True if more calls are the larger part of the function's growth."""
    old, new = per_call(one.base_ipp, one.base_calls), per_call(one.head_ipp, one.head_calls)
    if old is None or new is None or not one.base_calls or one.head_calls is None:
        return False
    calls = one.head_calls - one.base_calls
    return calls >= CALL_CHANGE * one.base_calls and calls * old >= one.head_calls * (new - old)
