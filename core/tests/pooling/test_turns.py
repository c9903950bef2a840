# SPDX-License-Identifier: Apache-2.0
"""The number of turns of a launch: that of the least error in a given time, whatever the noise."""

from dataclasses import replace

import numpy as np
import pytest
from nalm_core.pooling.launches import RunLaunches, run_launches, seconds_per_launch
from nalm_core.pooling.turns import MOST_TURNS, LaunchNoise, launch_noise
from nalm_synthetic import Noise, Side, make_report
from pool_worlds import SECONDS_PER_LAUNCH, World

NEIGHBOURS = World(host=0, hour=0, layout=0.001, launch=0.004, turn=0.06)
START_SECONDS = SECONDS_PER_LAUNCH - 32 * 0.02


def noise_of(runs: list[RunLaunches]) -> LaunchNoise:
    found = launch_noise(runs, seconds_per_launch(runs))
    assert found is not None
    return found


def of_world(world: World, launches: int = 400, seed: int = 1) -> LaunchNoise:
    return noise_of(world.runs(np.random.default_rng(seed), launches=launches, layouts=launches // 2))


def test_a_launch_s_own_noise_and_time_are_separated_from_its_turns() -> None:
    found = of_world(NEIGHBOURS)
    assert found.of_turn == pytest.approx(0.06**2)
    assert found.of_launch == pytest.approx(0.004**2, rel=0.8)  # beside turns of seven times its variance
    assert found.start_seconds == pytest.approx(START_SECONDS)
    assert found.seconds(32) == pytest.approx(SECONDS_PER_LAUNCH)


@pytest.mark.parametrize("turn", [0.02, 0.04])
def test_another_number_of_turns_takes_longer(turn: float) -> None:
    found = of_world(replace(NEIGHBOURS, turn=turn))
    times = {turns: found.variance(turns) * found.seconds(turns) for turns in range(16, MOST_TURNS + 1)}
    assert times[found.best_turns] == pytest.approx(min(times.values()), rel=1e-3)
    assert times[found.best_turns] < times[128]


def test_a_quiet_host_takes_few_turns_and_one_with_neighbours_many() -> None:
    quiet, loud = of_world(replace(NEIGHBOURS, turn=0.01)), of_world(replace(NEIGHBOURS, turn=0.2))
    assert quiet.best_turns < 32 < of_world(NEIGHBOURS).best_turns < loud.best_turns <= MOST_TURNS


def test_few_launches_do_not_ask_for_the_most_turns_by_chance() -> None:
    few = [of_world(NEIGHBOURS, launches=12, seed=seed).best_turns for seed in range(20)]
    assert max(few) < MOST_TURNS


def test_launches_with_different_numbers_of_turns_show_the_noise_of_one_turn() -> None:
    (run,) = NEIGHBOURS.runs(np.random.default_rng(1), runs=1, launches=40)
    halved = [
        one.model_copy(update={"turns": 64, "turn_variance": 0.06**2 / 64}) if one.number >= 20 else one
        for one in run.launches
    ]
    mixed = run.model_copy(update={"launches": halved, "seconds": 20 * (2 * SECONDS_PER_LAUNCH + 32 * 0.02)})
    assert noise_of([mixed]).of_turn == pytest.approx(0.06**2)
    assert noise_of([mixed]).start_seconds == pytest.approx(START_SECONDS)


def test_unknown_turns_give_no_number() -> None:
    (run,) = NEIGHBOURS.runs(np.random.default_rng(1), runs=1)
    unknown = [one.model_copy(update={"turn_variance": None}) for one in run.launches]
    assert launch_noise([run.model_copy(update={"launches": unknown})], 1.0) is None
    assert launch_noise([run.model_copy(update={"launches": run.launches[:1]})], 1.0) is None


def test_a_launch_says_its_turns_if_they_are_not_the_run_s() -> None:
    report = make_report(Side(), noise=Noise(turn=0.02), launches=4, turns=16)
    settings = report.settings.model_copy(update={"turns_per_launch": 16})
    rounds = [one for one in report.rounds if one.launch != 3 or one.turn < 12]
    found = run_launches(report.model_copy(update={"settings": settings, "rounds": rounds}), "pair")
    assert found is not None
    assert [one.turns for one in found.launches] == [None, None, None, 12]
    assert "turns" not in found.launches[0].model_dump() and found.launches[3].model_dump()["turns"] == 12
