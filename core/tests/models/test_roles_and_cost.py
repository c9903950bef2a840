# SPDX-License-Identifier: Apache-2.0
"""Lcores by role (Wu et al., Eq. 2), and compute against delay (Eq. 7): vectors and refusals."""

from collections.abc import Callable

import pytest
from nalm_core.models.cost import Design, best, break_even, cost, crossings, packets_to_gain, pareto
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.roles import (
    Work,
    greatest_rate,
    memory_bound_speedup,
    shortest_way,
    whole_lcores,
    work_of_stages,
)

WORK = Work(100, 300, 50)
GHZ = 2.0e9
OFF = Design("off", 258, 258, 258, 258)
ON = Design("on", 900, 180, 900, 180)


def test_the_square_root_rule() -> None:
    """w = (100, 300, 50), n = 16: r = (4.6523, 8.0580, 3.2897) to 1e-4, denominator 73.9238 to 1e-4."""
    plan = shortest_way(WORK, 16, GHZ)
    assert plan.lcores == pytest.approx((4.6523, 8.0580, 3.2897), abs=1e-4)
    assert plan.denominator == pytest.approx(73.9238, abs=1e-4)
    assert memory_bound_speedup(1.0, 450, WORK, plan.lcores) == pytest.approx(450 / 73.9238, rel=1e-6)


def test_the_greatest_rate_gives_every_role_the_same() -> None:
    plan = greatest_rate(WORK, 16, GHZ)
    assert plan.pps == pytest.approx(GHZ * 16 / 450)
    assert plan.lcores == pytest.approx((16 * 100 / 450, 16 * 300 / 450, 16 * 50 / 450))


def test_whole_lcores_are_the_best_of_all_splits() -> None:
    plan = whole_lcores(WORK, 16, GHZ)
    rates = [
        GHZ * min(d / 100, p / 300, (16 - d - p) / 50)
        for d in range(1, 15)
        for p in range(1, 16 - d)
        if 16 - d - p > 0
    ]
    assert plan.pps == max(rates) <= greatest_rate(WORK, 16, GHZ).pps
    assert plan.lcores == (4, 10, 2) and plan.bottleneck == "workers"


def test_a_role_without_work_has_no_lcore() -> None:
    plan = whole_lcores(Work(100, 300, 0), 4, GHZ)
    assert plan.lcores == (1, 3, 0) and plan.pps == pytest.approx(GHZ / 100)


def test_work_comes_from_the_stages_of_a_pipeline() -> None:
    found = work_of_stages(
        {"rx": 20, "dispatch": 30, "handover_in": 25, "nat": 200, "dpi": 90, "handover_out": 15, "tx": 22}
    )
    assert found.values == (72, 290, 40)


def test_a_cache_pays_from_the_tenth_packet() -> None:
    """First 900, later 180, without 258 cycles: N* = 9.23, so 10 packets, which cost 2520 and 2580."""
    length = break_even(900, 180, 258)
    assert length == pytest.approx(9.23, abs=0.005) and packets_to_gain(length) == 10
    assert (cost(ON, 10, 1.0), cost(OFF, 10, 1.0)) == (2520, 2580)
    assert cost(OFF, 9, 1.0) < cost(ON, 9, 1.0)
    assert packets_to_gain(break_even(300, 200, 300)) == 2


def test_larger_batches_trade_delay_for_compute() -> None:
    """Eq. 7: w = 0 is delay only, w = 1 compute only; the order changes between, at the crossing."""
    designs = [
        Design("batch 1", 900, 800, 900, 800),
        Design("batch 64", 400, 350, 9000, 8900),
        Design("worse", 950, 900, 9000, 9000),
    ]
    assert best(designs, 10, 0.0).name == "batch 1" and best(designs, 10, 1.0).name == "batch 64"
    assert [one.name for one in pareto(designs, 10)] == ["batch 1", "batch 64"]
    first, *_ = [one for one in crossings(designs, 10) if "worse" not in (one.below, one.above)]
    assert (first.below, first.above) == ("batch 1", "batch 64")
    assert cost(designs[0], 10, first.weight) == pytest.approx(cost(designs[1], 10, first.weight))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Work(-1, 2, 3), "cycles of dispatch"),
        (lambda: Work(0, 0, 0), "cycles: every role"),
        (lambda: whole_lcores(WORK, 2, GHZ), "lcores: 2 are fewer than the roles, 3"),
        (lambda: whole_lcores(WORK, 3, 0), "frequency"),
        (lambda: memory_bound_speedup(1, 450, WORK, (1, 1, 0)), "lcores: a role with work"),
        (lambda: work_of_stages({"rx": 20, "nat": 200}), "stages: expected a pipeline"),
        (lambda: cost(ON, 10, 1.5), "weight"),
        (lambda: cost(ON, 0, 0.5), "packets"),
        (lambda: pareto([], 10), "designs"),
        (lambda: Design("x", -1, 1, 1, 1), "first_cycles of x"),
        (lambda: break_even(900, 258, 258), "cycles later"),
    ],
)
def test_inputs_that_a_model_cannot_carry_are_refused_by_name(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ModelInputError, match=said):
        call()
