# SPDX-License-Identifier: Apache-2.0
"""Pools of known truth: coverage, false alarms at a tenth of a per cent, power."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from nalm_core.pooling.components import components, observations, pair_mean
from nalm_core.pooling.constants import POOL_FIRST_LOOK
from nalm_core.pooling.pool import in_words, pool
from nalm_core.report.outcome import Outcome
from pool_worlds import World

MARGIN = 0.001
HOST = World(host=0, hour=0.0003, layout=0.003, launch=0.005)


def coverage(world: World, level: float, seeds: int, **how: int) -> float:
    inside = 0
    for seed in range(seeds):
        launches = observations(world.runs(np.random.default_rng(seed), **how))
        found = components(launches)
        assert found is not None
        low, high = pair_mean(launches, found).estimate.interval(1 - level)
        inside += low <= np.exp(world.change) <= high
    return inside / seeds


@pytest.mark.parametrize(
    ("world", "how"),
    [
        (HOST, {"runs": 3, "launches": 48, "layouts": 24}),
        (replace(HOST, hour=0.002), {"runs": 6, "launches": 24, "layouts": 12}),
        (World(), {"hosts": 4, "runs": 2, "launches": 24, "layouts": 12}),
        (replace(HOST, outliers=0.03), {"runs": 2, "launches": 60, "layouts": 30}),
        (replace(HOST, layout=0), {"runs": 2, "launches": 60, "layouts": 30}),
    ],
    ids=["hours", "hours_differ", "hosts", "outliers", "no_placement"],
)
def test_intervals_contain_the_truth_as_often_as_they_say(world: World, how: dict[str, int]) -> None:
    world, seeds = replace(world, change=0.002), 80
    assert coverage(world, 0.95, seeds, **how) > 0.95 - 3 * (0.05 * 0.95 / seeds) ** 0.5


def outcomes(world: World, seeds: int, runs: int = 4, launches: int = 180) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in range(seeds):
        drawn = world.runs(np.random.default_rng(100 + seed), runs=runs, launches=launches, layouts=90)
        result = pool(drawn, MARGIN)
        assert result is not None
        found[result.outcome] += 1
    return found


def test_equal_builds_raise_no_alarm_at_a_tenth_of_a_per_cent() -> None:
    found = outcomes(HOST, 24)
    assert not found["regressed"] + found["improved"]


@pytest.mark.nightly
def test_sixty_equal_pairs_raise_no_alarm_at_a_tenth_of_a_per_cent() -> None:
    found = outcomes(replace(HOST, host=0.0003), 60)
    assert not found["regressed"] + found["improved"]


def test_half_a_per_cent_in_cycles_is_found() -> None:
    found = outcomes(HOST.with_change(0.005), 12)
    assert found["regressed"] >= 11 and not found["same"] and not found["improved"]


def test_a_pool_is_judged_at_its_looks_alone() -> None:
    (first, *_) = HOST.with_change(0.05).runs(np.random.default_rng(1), launches=POOL_FIRST_LOOK, layouts=9)
    found = pool([first], MARGIN)
    assert found is not None and found.outcome is Outcome.REGRESSED and found.decided_after == POOL_FIRST_LOOK
    fewer = first.model_copy(update={"launches": first.launches[:-2]})
    found = pool([fewer], MARGIN)
    assert found is not None and found.outcome is Outcome.INCONCLUSIVE and found.next_look == POOL_FIRST_LOOK


def test_the_order_in_which_runs_arrive_does_not_matter() -> None:
    runs = World().runs(np.random.default_rng(2), hosts=2, runs=2)
    assert pool(runs, MARGIN) == pool(runs[::-1], MARGIN)


def test_a_decided_pool_stays_decided() -> None:
    runs = HOST.with_change(0.01).runs(np.random.default_rng(3), runs=3)
    before, after = pool(runs[:1], MARGIN), pool(runs, MARGIN)
    assert before is not None and after is not None
    assert (
        (before.outcome, before.decided_after)
        == (after.outcome, after.decided_after)
        == (
            "regressed",
            before.decided_after,
        )
    )


def test_placement_is_shown() -> None:
    found = pool(HOST.runs(np.random.default_rng(4), launches=120, layouts=60), MARGIN)
    assert found is not None and found.placement == pytest.approx(1.96 * 0.003, rel=0.3)
    assert found.placement_text is not None and found.placement_text.startswith("placement moves this by ±0.")
    assert "240 launches of 2 runs on 1 host" in in_words(found)
    without = pool(HOST.runs(np.random.default_rng(4), layouts=0), MARGIN)
    assert without is not None and without.placement is None and without.placement_text is None
    assert pool([], MARGIN) is None


def test_other_pairs_show_what_few_groups_cannot() -> None:
    rng, world = np.random.default_rng(5), World(host=0.003)
    others = [
        run for n in range(8) for run in world.runs(rng, hosts=2, runs=1, launches=24, pair=f"other-{n}")
    ]
    own = world.runs(rng, hosts=2, runs=1, launches=24)
    alone, helped = pool(own, MARGIN), pool(own, MARGIN, others=others)
    assert alone is not None and helped is not None
    (host,) = (one for one in helped.shares if one.level == "host")
    assert host.spread == pytest.approx(0.003, rel=0.6)
