# SPDX-License-Identifier: Apache-2.0
"""Functions of two sides: what is common to both, what is left out, what is missing."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_core.profiles.function_costs import LEAST_SAMPLES, SideOf, function_costs, sampled_cycles
from nalm_core.report.profile import Profile, ProfiledFunction
from nalm_core.report.run_report import Arm, FunctionCount, InstructionCount, Source
from nalm_core.report.summary import summarise
from nalm_synthetic import Side, make_report


def count(arm: Arm, source: Source, **ipp: int) -> InstructionCount:
    functions = [FunctionCount(name=name, instructions=each * 1000, calls=1000) for name, each in ipp.items()]
    return InstructionCount(
        arm=arm, source=source, packets=1000, stages={}, unattributed=0, functions={"nat": functions}
    )


def profile(arm: Arm, **samples: int) -> Profile:
    functions = [
        ProfiledFunction(name=name, object="nf", samples=each, stage="nat") for name, each in samples.items()
    ]
    return Profile(arm=arm, event="cycles", frequency_hz=999, samples=100, functions=functions)


def sides(cpp: float | None = 200.0, **given: Any) -> tuple[SideOf, SideOf]:
    report = make_report(Side(), launches=1, turns=1).model_copy(
        update={"instructions": [], "profiles": [], **given}
    )
    return SideOf(report, Arm.BASE, cpp), SideOf(report, Arm.HEAD, cpp)


def test_only_a_source_that_counted_both_sides_is_used() -> None:
    counts = [
        count(Arm.BASE, Source.PMU, lookup=9),
        count(Arm.BASE, Source.SIMULATED, lookup=20),
        count(Arm.HEAD, Source.SIMULATED, lookup=30),
    ]
    (found,) = function_costs(*sides(instructions=counts))
    assert found.base and found.head and (found.base.ipp, found.head.ipp) == (20, 30)
    assert found.base.cpp is None


def test_samples_of_one_side_alone_are_left_out() -> None:
    assert function_costs(*sides(profiles=[profile(Arm.BASE, lookup=50)])) == []
    both = [profile(Arm.BASE, lookup=25), profile(Arm.HEAD, lookup=50)]
    (found,) = function_costs(*sides(profiles=both))
    assert found.base and found.head and (found.base.cpp, found.head.cpp) == (50.0, 100.0)
    assert found.base.error == pytest.approx(10.0)
    assert function_costs(*sides(cpp=None, profiles=both)) == []


def test_the_largest_change_goes_first_and_what_came_has_no_base() -> None:
    counts = [
        count(Arm.BASE, Source.SIMULATED, big=500, small=10),
        count(Arm.HEAD, Source.SIMULATED, big=501, small=40, new=7),
    ]
    found = function_costs(*sides(instructions=counts))
    assert [one.name for one in found] == ["small", "new", "big"]
    assert found[1].base is None


def test_cycles_have_a_history_where_samples_carry_them() -> None:
    found = profile(Arm.HEAD, lookup=LEAST_SAMPLES, rare=LEAST_SAMPLES - 1)
    lookup = found.functions[0].model_copy(update={"object": "lib.so", "samples": 11})
    apart = ProfiledFunction(name="send", object="nf", samples=50, stage="gen")
    found = found.model_copy(
        update={"functions": [*found.functions, lookup, apart], "stages": {"gen": 50}, "samples": 150}
    )
    report = make_report(Side(), launches=2, turns=2).model_copy(update={"profiles": [found]})
    cpp = summarise(report, Arm.HEAD).chain["cpp"].value
    (key, (cycles, error)), *others = sampled_cycles(report, Arm.HEAD).items()
    assert (key, others) == (("nat", "lookup"), [])
    assert (cycles, error) == (pytest.approx(cpp * 36 / 100), pytest.approx(cpp * 6 / 100))
    assert sampled_cycles(report, Arm.BASE) == {}
    assert sampled_cycles(report.model_copy(update={"rounds": []}), Arm.HEAD) == {}
    nothing = found.model_copy(update={"samples": 50})
    assert sampled_cycles(report.model_copy(update={"profiles": [nothing]}), Arm.HEAD) == {}
