# SPDX-License-Identifier: Apache-2.0
"""Sampled cycles: false discoveries among many unchanged functions, and power, on simulated samples."""

from __future__ import annotations

import numpy as np
from function_worlds import STAGE, counted, plain, sampled
from nalm_core.functions.cycles import SampledSide, cycle_tests
from nalm_core.functions.judge import FunctionSide, judge_functions
from nalm_core.functions.margins import Margins
from nalm_core.report.defaults import FUNCTION_FALSE_DISCOVERY_RATE
from nalm_core.report.run_report import Arm, Layouts
from nalm_core.verdict.function_change import function_side
from nalm_core.verdict.profile_change import function_shifts
from tiers import size_of_tier

FUNCTIONS = 40
SAMPLES = 40_000
SCATTER = 0.02
"""Standard deviation of ln CPP between launches, by placement, of each function on its own."""


def _tests(rng: np.random.Generator, slower: dict[int, float], runs: int) -> tuple[int, list[float], int]:
    """Runs with any discovery, shares of false ones, and slower functions found."""
    shares = rng.dirichlet(np.full(FUNCTIONS, 0.5))
    alarms, false, hits = 0, [], 0
    units = [frozenset(((STAGE, str(n)),)) for n in range(FUNCTIONS)]
    for _ in range(runs):
        sides = []
        for growth in ({}, slower):
            factors = np.exp(rng.normal(0, SCATTER, FUNCTIONS))
            costs = shares * factors * [growth.get(n, 1.0) for n in range(FUNCTIONS)]
            counts = rng.poisson(SAMPLES * costs)
            launches = np.exp(rng.normal(0, SCATTER, 9))
            samples = {(STAGE, str(n)): int(count) for n, count in enumerate(counts)}
            sides.append(SampledSide(samples, 1 / SAMPLES, 1.0, {STAGE: list(launches)}))
        found = {next(iter(unit))[1] for unit, one in cycle_tests(*sides, units).items() if one.significant}
        right = {str(n) for n in slower}
        alarms += bool(found)
        false.append(len(found - right) / max(1, len(found)))
        hits += len(found & right)
    return alarms, false, hits


def test_unchanged_functions_make_hardly_any_discovery() -> None:
    runs = size_of_tier(150, 30)
    alarms, _, _ = _tests(np.random.default_rng(7), {}, runs)
    # binomial, three standard errors above the rate
    assert alarms <= runs * FUNCTION_FALSE_DISCOVERY_RATE + 3 * (runs * FUNCTION_FALSE_DISCOVERY_RATE) ** 0.5


def test_many_functions_of_few_samples_make_hardly_any_discovery() -> None:
    """Those with 25 samples on one side are those that chance raised there: 9 % of runs had a discovery."""
    rng = np.random.default_rng(5)
    units = [frozenset(((STAGE, str(n)),)) for n in range(300)]
    alarms, runs = 0, 200
    for _ in range(runs):
        sides = [
            SampledSide({(STAGE, str(n)): int(count) for n, count in enumerate(one)}, 1.0, 1e5, {})
            for one in rng.poisson(12, (2, 300))
        ]
        tests = cycle_tests(*sides, units)
        alarms += any(one.significant for one in tests.values())
    assert alarms <= runs * FUNCTION_FALSE_DISCOVERY_RATE + 3 * (runs * FUNCTION_FALSE_DISCOVERY_RATE) ** 0.5


def test_share_of_false_discoveries_and_power_beside_true_ones() -> None:
    runs = size_of_tier(40, 20)
    rng = np.random.default_rng(8)
    slower = dict.fromkeys(range(14), 1.5)
    _, false, hits = _tests(rng, slower, runs)
    assert np.mean(false) <= 2 * FUNCTION_FALSE_DISCOVERY_RATE
    # functions of a few samples cannot be found; the others are
    assert hits >= 0.5 * runs * len(slower)


def test_samples_decide_where_they_can() -> None:
    rng = np.random.default_rng(9)
    code = plain(find=300.0, add=300.0)
    base = {"nat_process": 50.0, "find": 100.0, "add": 100.0}
    head = {**base, "find": 160.0}
    report = sampled(counted(code, code), base, head, 4000, rng)
    sides = (
        FunctionSide(report, arm, sum(cpp.values())) for arm, cpp in ((Arm.BASE, base), (Arm.HEAD, head))
    )
    found = {one.name: one for one in judge_functions(*sides, Margins())}
    assert found["find"].outcome == "regressed"
    assert found["find"].by == "cycles"
    assert found["find"].significant
    assert not found["find"].alarms, "samples of one launch make no alert"
    assert found["add"].outcome == "same"
    assert found["add"].by == "instructions"


def test_moved_code_is_tested_as_one() -> None:
    rng = np.random.default_rng(10)
    apart, inlined = plain(find=300.0, helper=300.0), plain(find=600.0)
    apart.calls = {("nat_process", "find"): 1.0, ("find", "helper"): 1.0}
    before = {"nat_process": 50.0, "find": 100.0, "helper": 100.0}
    for after, outcome in ((200.0, "shifted"), (320.0, "regressed")):
        head = {"nat_process": 50.0, "find": after}
        report = sampled(counted(apart, inlined), before, head, 4000, rng)
        sides = (
            FunctionSide(report, arm, sum(cpp.values()))
            for arm, cpp in ((Arm.BASE, before), (Arm.HEAD, head))
        )
        found = {one.name: one for one in judge_functions(*sides, Margins())}
        assert found["find"].outcome == outcome
        assert found["helper"].outcome == "shifted"


def test_functions_beyond_the_end_of_a_profiles_list_are_not_gone() -> None:
    """The 40 most sampled of 120 functions of equal builds: chance decides which are last in the list. In all
    runs one was called changed."""
    rng = np.random.default_rng(11)
    code = plain(find=300.0)
    costs = {f"f{n}": (n + 1) ** -0.8 for n in range(120)}
    for _ in range(10):
        report = sampled(counted(code, code), costs, costs, 10_000, rng, listed=40)
        sides = (FunctionSide(report, arm, 500.0) for arm in (Arm.BASE, Arm.HEAD))
        assert {one.outcome for one in judge_functions(*sides, Margins()) if one.by == "cycles"} <= {
            "same",
            "inconclusive",
        }
        assert function_shifts(report, Arm.HEAD, 500.0, 500.0) == []


def test_a_costly_new_function_is_found_beside_a_full_list() -> None:
    rng = np.random.default_rng(12)
    code = plain(find=300.0)
    base = {f"f{n}": (n + 1) ** -0.8 for n in range(120)}
    head = {**base, "new": 0.5}
    report = sampled(counted(code, code), base, head, 10_000, rng, listed=40)
    sides = (FunctionSide(report, arm, 500.0) for arm in (Arm.BASE, Arm.HEAD))
    (found,) = (one for one in judge_functions(*sides, Margins()) if one.name == "new")
    assert (found.outcome, found.by, found.base_cpp) == ("regressed", "cycles", 0.0)
    assert "new" in {one.name for one in function_shifts(report, Arm.HEAD, 500.0, 530.0) or []}


def test_an_arm_that_was_sampled_in_one_launch_has_the_scatter_of_launches() -> None:
    """And not of layouts, which are means of two."""
    code = plain(find=300.0)
    report = sampled(counted(code, code), {"find": 1.0}, {"find": 1.0}, 1000, np.random.default_rng(13))
    layouts = Layouts(relinked=True, numbers=[0, 0, 1, 1, 2, 2])
    side = function_side(report.model_copy(update={"layouts": layouts}), Arm.BASE, 260.0)
    assert {len(each) for each in side.launches.values()} == {6}
