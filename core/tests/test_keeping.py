# SPDX-License-Identifier: Apache-2.0
"""Packets under way on several lcores are neither lost nor leaked; what is, is found among them."""

import numpy as np
import pytest
from nalm_core.defaults import CONSERVED_LIMIT, LEAK_LIMIT
from nalm_core.keeping import leaked_share, vanished_share
from nalm_core.report import Arm, LcoreCounters, Round, StageCounters

TAKEN_IN = 48_000
IDLE = {name: 0 for name, field in LcoreCounters.model_fields.items() if field.is_required()}


def launches(
    *, lcores: int = 2, lost: int = 0, leaked: int = 0, ring: int = 1024, count: int = 6
) -> list[Round]:
    """Rounds of an NF whose ring is filled at random when it parks; `lost` packets of each turn end without a
    name and `leaked` ones keep their buffer."""
    rng, rounds = np.random.default_rng(1), []
    for launch in range(count):
        under_way = gone = kept = 0
        for turn in range(32):
            before, under_way = under_way, int(rng.integers(0, ring)) if lcores > 1 else 0
            gone, kept = gone + lost, kept + leaked
            ended = TAKEN_IN + before - under_way - lost
            stages = {
                "rx": StageCounters(cycles=1, packets=TAKEN_IN, batches=1),
                "tx": StageCounters(cycles=1, packets=ended, batches=1),
            }
            rounds.append(
                Round(
                    launch=launch,
                    turn=turn,
                    order=0,
                    arm=Arm.HEAD,
                    lcores=[LcoreCounters(**IDLE) for _ in range(lcores)],
                    stages=stages,
                    buffers_in_use=300 + under_way + kept,
                )
            )
    return rounds


def entered(one: Round) -> int:
    return one.stages["rx"].packets


def ended(one: Round) -> int:
    return one.stages["tx"].packets


@pytest.mark.parametrize("lcores", [1, 2])
def test_rings_that_fill_and_empty_are_nothing(lcores: int) -> None:
    rounds = launches(lcores=lcores)
    assert vanished_share(rounds, entered, ended) <= CONSERVED_LIMIT
    assert leaked_share(rounds, entered, ended) == 0


@pytest.mark.parametrize("lcores", [1, 2])
def test_packets_that_end_without_a_name_are_found(lcores: int) -> None:
    rounds = launches(lcores=lcores, lost=100)
    assert vanished_share(rounds, entered, ended) == pytest.approx(100 / TAKEN_IN, rel=0.4)


@pytest.mark.parametrize("lcores", [1, 2])
def test_buffers_that_leak_are_found_beside_packets_under_way(lcores: int) -> None:
    leak = leaked_share(launches(lcores=lcores, leaked=3), entered, ended)
    assert leak == pytest.approx(3 / TAKEN_IN, rel=0.05) and leak > LEAK_LIMIT


def test_buffers_that_are_not_told_make_no_figure() -> None:
    rounds = [one.model_copy(update={"buffers_in_use": None}) for one in launches()]
    assert leaked_share(rounds, entered, ended) is None
