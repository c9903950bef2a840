# SPDX-License-Identifier: Apache-2.0
"""Functions are named when their cycles differ beyond the scatter of samples, in cycles a packet."""

import pytest
from nalm_core.report.profile import Profile, ProfiledFunction
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.verdict.profile_change import function_shifts
from nalm_synthetic import GENERATOR, changed, make_report


def profile(arm: Arm, **samples: int) -> Profile:
    """Samples by function, each in the stage it is named after; `gen_fill` is the generator's."""
    stages = {name: GENERATOR if name == "gen_fill" else name.partition("_")[0] for name in samples}
    functions = [
        ProfiledFunction(name=name, object="nf", file=f"src/{name}.c", line=7, samples=n, stage=stages[name])
        for name, n in samples.items()
    ]
    by_stage: dict[str, int] = {}
    for name, n in samples.items():
        by_stage[stages[name]] = by_stage.get(stages[name], 0) + n
    total = sum(samples.values())
    return Profile(
        arm=arm, event="cpu-clock", frequency_hz=997, samples=total, stages=by_stage, functions=functions
    )


def with_profiles(*profiles: Profile) -> RunReport:
    return make_report(changed(), launches=2).model_copy(update={"profiles": list(profiles)})


def test_the_function_that_pays_is_named_with_its_line() -> None:
    base = profile(Arm.BASE, gen_fill=500, nat_lookup=400, l3fwd_route=600)
    head = profile(Arm.HEAD, gen_fill=400, nat_lookup=800, l3fwd_route=600)
    (found,) = function_shifts(with_profiles(base, head), Arm.HEAD, 1000.0, 1400.0) or []
    assert (found.name, found.stage, found.file, found.line) == ("nat_lookup", "nat", "src/nat_lookup.c", 7)
    assert (found.base_cpp, found.head_cpp) == (pytest.approx(400), pytest.approx(800))
    assert 20 < found.error < 60


def test_scatter_is_not_named_and_a_generator_never() -> None:
    base = profile(Arm.BASE, gen_fill=100, nat_lookup=400, l3fwd_route=600)
    head = profile(Arm.HEAD, gen_fill=900, nat_lookup=430, l3fwd_route=570)
    assert function_shifts(with_profiles(base, head), Arm.HEAD, 1000.0, 1000.0) == []


def test_a_function_that_came_has_no_cycles_in_base() -> None:
    base = profile(Arm.BASE, nat_lookup=500)
    head = profile(Arm.HEAD, nat_lookup=500, nat_log=300)
    (found,) = function_shifts(with_profiles(base, head), Arm.HEAD, 500.0, 800.0) or []
    assert (found.name, found.base_cpp, found.head_cpp) == ("nat_log", 0.0, pytest.approx(300))


def test_without_samples_of_both_arms_there_is_no_list() -> None:
    report = with_profiles(profile(Arm.HEAD, nat_lookup=500))
    assert function_shifts(report, Arm.HEAD, 1.0, 1.0) is None
