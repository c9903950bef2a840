# SPDX-License-Identifier: Apache-2.0
"""Plans: they suffice in simulation, follow c / sqrt(minutes), and say what is not reachable."""

from dataclasses import replace

import numpy as np
import pytest
from nalm_core.pooling.components import Level, components, observations, pair_mean
from nalm_core.pooling.constants import MOST_HOURS
from nalm_core.pooling.plan import Costs, MarginPlan, effort_for, plan, too_much
from nalm_core.stats.resolution import MOST_LAUNCHES
from pool_worlds import SECONDS_PER_LAUNCH, World
from tiers import size_of_tier

HOST = World(host=0, hour=0, layout=0.003, launch=0.005)


def of_world(world: World, margin: float, seed: int = 1, *, can_relink: bool = True) -> MarginPlan:
    runs = [
        run
        for pair in range(4)
        for run in world.runs(np.random.default_rng(seed + pair), launches=120, layouts=60, pair=f"p{pair}")
    ]
    return plan(runs, margin, "sfc_a", can_relink=can_relink)


@pytest.mark.nightly
def test_the_planned_launches_find_a_change_of_the_margin() -> None:
    found = of_world(HOST, 0.002)
    assert found.effort is not None and found.low is not None
    assert found.low.minutes <= found.effort.minutes
    assert found.high is None or found.effort.minutes <= found.high.minutes
    hits, seeds = 0, size_of_tier(40, 25)
    for seed in range(seeds):
        world = HOST.with_change(0.002)
        drawn = observations(
            world.runs(
                np.random.default_rng(500 + seed),
                runs=1,
                launches=found.effort.launches,
                layouts=found.effort.layouts,
            )
        )
        parts = components(drawn)
        assert parts is not None
        hits += pair_mean(drawn, parts).estimate.interval(0.01)[0] > 1
    assert hits / seeds > 0.8


def test_half_the_margin_takes_four_times_as_long() -> None:
    coarse, fine = of_world(HOST, 0.002), of_world(HOST, 0.001)
    assert coarse.effort is not None and fine.effort is not None
    assert fine.effort.minutes / coarse.effort.minutes == pytest.approx(4, rel=0.25)
    widths = {one.minutes: one.half_width for one in fine.curve}
    assert widths[5] / widths[20] == pytest.approx(2, rel=0.01)


def test_placement_that_cannot_be_varied_is_no_matter_of_launches() -> None:
    found = of_world(HOST, 0.001, can_relink=False)
    assert not found.reachable and found.effort is None
    assert "one link of each build" in found.reason and "±0." in found.reason


def test_a_spread_that_takes_too_many_launches_is_named_with_their_number() -> None:
    found = of_world(replace(HOST, launch=0.08, layout=0), 0.001)
    assert not found.reachable and "launches, more than the 10000 of a plan" in found.reason


@pytest.mark.nightly
def test_hosts_that_differ_too_much_take_more_hosts() -> None:
    runs = [
        run
        for pair in range(6)
        for run in World(host=0.005).runs(np.random.default_rng(pair), hosts=3, launches=24, pair=f"p{pair}")
    ]
    two, many = (plan(runs, 0.001, "sfc_a", hosts=number) for number in (2, 2000))
    assert not two.reachable and "it takes" in two.reason and "hosts or more" in two.reason
    assert many.reachable
    one = plan(runs, 0.001, "sfc_a")
    assert one.reachable  # the verdict is then about this host


def test_without_runs_the_plan_says_what_to_run() -> None:
    found = plan([], 0.001, "sfc_a")
    assert not found.reachable and found.effort is None
    assert found.run == "nalm check HEAD HEAD --force --scenario sfc_a"
    other = plan(HOST.runs(np.random.default_rng(1)), 0.001, "another")
    assert other.run is not None and other.run.endswith("--scenario another")


def test_unmeasured_placement_is_said() -> None:
    runs = HOST.runs(np.random.default_rng(1), layouts=0)
    found = plan(runs, 0.002, "sfc_a")
    assert found.reachable and "placement of code" in found.reason
    assert found.run is not None and "--layouts" in found.run


def test_slow_starts_take_more_turns() -> None:
    cheap = of_world(HOST, 0.001)
    slow = [
        one.model_copy(update={"seconds": 20 * one.seconds})
        for one in HOST.runs(np.random.default_rng(1), launches=120)
    ]
    assert cheap.turns is not None
    assert cheap.seconds_per_launch == pytest.approx(SECONDS_PER_LAUNCH + 0.02 * (cheap.turns - 32))
    found = plan(slow, 0.001, "sfc_a")
    assert found.turns is not None and found.turns > cheap.turns


ALLOWED = (0.001 / 3.9) ** 2
"""About the variance of the mean at which a change of 0.1 % is found."""


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ({Level.HOST: 0.7, Level.HOUR: 0.6}, "hosts differ by more than the margin allows: it takes 3 hosts"),
        ({Level.HOST: 0.5, Level.HOUR: 0.8}, "hours differ by more than the margin allows"),
        ({Level.HOST: 0.4, Level.HOUR: 0.4, Level.LAUNCH: 0.5}, "the spread from launch to launch"),
        ({Level.HOST: 3.0, Level.LAUNCH: 2.0}, "the spread from launch to launch"),
        ({Level.HOST: 3.0, Level.LAYOUT: 2.0}, "one link of each build"),
    ],
)
def test_what_prevents_a_plan_is_the_largest_part_of_what_is_left(
    shares: dict[Level, float], said: str
) -> None:
    """shares: of the variance allowed, that the most launches and hours leave on two hosts."""
    left = {Level.HOST: 2.0, Level.HOUR: 2.0 * MOST_HOURS, Level.LAYOUT: 1.0, Level.LAUNCH: MOST_LAUNCHES}
    parts = {Level.LAUNCH: 20 * ALLOWED} | {one: ALLOWED * shares[one] * left[one] for one in shares}
    costs = Costs(seconds=2, relink_seconds=3, hosts=2, relinks=False)
    effort, allowed = effort_for(parts, 0.001, costs)
    assert effort is None and allowed == pytest.approx(ALLOWED, rel=0.2)
    text = too_much(parts, allowed, costs)
    assert text.startswith(said)
    if "launches, more" in text:
        assert int(text.split("takes ")[1].split()[0]) > MOST_LAUNCHES


def test_changed_code_in_a_quiet_stage_takes_half_of_the_time() -> None:
    """nat has a tenth of the noise, dpi all other: until dpi cannot undo a change of nat, it takes a good
    part of the time that the chain takes to show it."""
    rng = np.random.default_rng(3)
    runs = []
    for one in HOST.runs(np.random.default_rng(1), launches=120, layouts=60):
        launches = [
            launch.model_copy(update={"stages": {"nat": rng.normal(0, 5e-4), "dpi": launch.ln_ratio}})
            for launch in one.launches
        ]
        runs.append(one.model_copy(update={"launches": launches}))
    found = plan(runs, 0.001, "sfc_a")
    assert found.effort is not None
    minutes = {one.stage: one.minutes for one in found.stages}
    nat, dpi = minutes["nat"], minutes["dpi"]
    assert nat is not None and dpi is not None
    assert 0.3 < nat / found.effort.minutes < 0.7
    assert dpi == pytest.approx(found.effort.minutes, rel=0.3), "at half of the error rate"
    assert plan(runs, 0.005, "sfc_a").stages == [], "at a usual margin the chain decides"
    older = HOST.runs(rng, pair="before")
    assert plan([*runs, *older], 0.001, "sfc_a").stages == [], "runs of older versions have no parts"
