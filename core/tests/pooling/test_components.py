# SPDX-License-Identifier: Apache-2.0
"""Variance components, against closed forms and against worlds of known truth."""

from dataclasses import replace

import numpy as np
import pytest
from nalm_core.pooling.components import Level, components, observations, pair_mean
from pool_worlds import World

QUIET = World(host=0, hour=0, layout=0.003, launch=0.005, turn=0)


def test_balanced_layouts_give_the_analysis_of_variance() -> None:
    """On average: about one residual in eight is drawn in, so that figures differ by a tenth or so."""
    ratios = []
    for seed in range(12):
        runs = QUIET.runs(np.random.default_rng(seed), runs=1, launches=120, layouts=30)
        found = components(observations(runs))
        assert found is not None
        values = np.array([one.ln_ratio for one in runs[0].launches]).reshape(2, 30, 2)  # twice around
        by_layout = values.transpose(1, 0, 2).reshape(30, 4)
        within = float(by_layout.var(axis=1, ddof=1).mean())
        between = float(by_layout.mean(axis=1).var(ddof=1)) - within / 4
        mean = pair_mean(observations(runs), found).estimate
        assert mean.ln_ratio == pytest.approx(float(values.mean()), abs=3e-4)
        assert mean.degrees == pytest.approx(29, abs=4)
        ratios.append(
            [
                found.variances[Level.LAUNCH] / within,
                found.variances[Level.LAYOUT] / between,
                mean.standard_error / (between / 30 + within / 120) ** 0.5,
            ]
        )
    launch, layout, error = np.mean(ratios, axis=0)
    assert (launch, error) == pytest.approx((1, 1), abs=0.05)
    assert layout == pytest.approx(1, abs=0.15)


def test_components_of_all_levels_are_found_over_many_pairs() -> None:
    rng, world = np.random.default_rng(2), World(host=0.002, hour=0.001)
    runs = [
        run
        for pair in range(12)
        for run in world.runs(rng, hosts=3, runs=3, launches=24, layouts=12, pair=f"pair-{pair}")
    ]
    found = components(observations(runs))
    assert found is not None
    for level, true in ((Level.HOST, 0.002), (Level.HOUR, 0.001), (Level.LAYOUT, 0.003)):
        sd, degrees = found.sd(level), found.degrees(level)
        assert sd == pytest.approx(true, rel=4 / (2 * degrees) ** 0.5), level
    assert found.sd(Level.LAUNCH) == pytest.approx((0.005**2 + 0.01**2 / 32) ** 0.5, rel=0.05)
    assert found.turn_variance == pytest.approx(0.01**2 / 32)


def test_the_shares_of_the_error_add_up() -> None:
    runs = World(hour=0.002).runs(np.random.default_rng(3), runs=4)
    found = components(observations(runs))
    assert found is not None
    shares = pair_mean(observations(runs), found).error_shares
    assert sum(shares.values()) == pytest.approx(1)
    assert shares.keys() == {Level.HOUR, Level.LAYOUT, Level.LAUNCH}


def test_a_level_without_groups_of_its_own_is_missing() -> None:
    one_hour = World().runs(np.random.default_rng(4), runs=1, launches=20, layouts=0)
    found = components(observations(one_hour))
    assert found is not None and list(found.variances) == [Level.LAUNCH]
    assert found.sd(Level.LAYOUT) is None
    each_its_own = [
        replaced.model_copy(update={"launches": replaced.launches[::2]})
        for replaced in World().runs(np.random.default_rng(4), runs=1, launches=20, layouts=10)
    ]
    found = components(observations(each_its_own))
    assert found is not None and Level.LAYOUT not in found.variances
    assert components(observations(one_hour)[:1]) is None


def test_outliers_hardly_move_the_launches_variance() -> None:
    plain = components(observations(QUIET.runs(np.random.default_rng(5), launches=200)))
    spiked = components(
        observations(replace(QUIET, outliers=0.03).runs(np.random.default_rng(5), launches=200))
    )
    assert plain is not None and spiked is not None
    assert spiked.variances[Level.LAUNCH] < 1.5 * plain.variances[Level.LAUNCH]


def test_launches_of_stack_and_heap_alone_are_no_layouts_of_code() -> None:
    runs = [
        one.model_copy(update={"relinked": False}) for one in World().runs(np.random.default_rng(6), runs=1)
    ]
    groups = {one.layout for one in observations(runs)}
    assert all(group.startswith("pair-0-0 ") for group in groups)
