# SPDX-License-Identifier: Apache-2.0
"""Packets under way on several lcores are neither lost nor leaked; what is, is found among them."""

import numpy as np
import pytest
from nalm_core.report.defaults import CONSERVED_LIMIT, LEAK_LIMIT
from nalm_core.report.run_report import Arm, BufferLook, LcoreCounters, Round, StageCounters
from nalm_core.verdict.retained import leaked_share, look_leaks, vanished_share

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


def test_buffers_that_are_not_reported_make_no_figure() -> None:
    rounds = [one.model_copy(update={"buffers_in_use": None}) for one in launches()]
    assert leaked_share(rounds, entered, ended) is None


def look(level, *, turns: int = 32, under_way: int = 0) -> BufferLook:
    """A launch and eight times its turns, in which `level(turn)` buffers are held.

    Every other turn ends with packets under way, which the next one sends.
    """
    total = 9 * turns
    waiting = [under_way * (turn % 2) for turn in range(total)]
    came = [now - before for before, now in zip([0, *waiting], waiting, strict=False)]
    return BufferLook(
        arm=Arm.HEAD,
        launch=0,
        turns=turns,
        taken_in=[TAKEN_IN] * total,
        ended=[TAKEN_IN - each for each in came],
        buffers=[level(turn) + waiting[turn] for turn in range(total)],
    )


@pytest.mark.parametrize("step", [1, 3, 100])
def test_a_longer_look_finds_what_goes_on_growing(step: int) -> None:
    leak = look_leaks(look(lambda turn: 64 + step * turn))
    assert leak == pytest.approx(step / TAKEN_IN, rel=0.05) and leak > LEAK_LIMIT


@pytest.mark.parametrize(
    "level",
    [
        lambda turn: min(64 + 3 * turn, 64 + 3 * 100),  # reassembly, full after three launches
        lambda turn: 64 + round(2000 * (1 - 0.985**turn)),  # a cache that finds ever fewer new flows
        lambda turn: 64 + turn % 40,  # a queue
        lambda turn: 64 + turn // 32,  # fewer than a batch
    ],
)
def test_a_longer_look_leaves_alone_what_fills_up_to_a_bound(level) -> None:
    assert look_leaks(look(level)) == 0


def test_a_longer_look_leaves_out_packets_under_way() -> None:
    assert look_leaks(look(lambda turn: 64, under_way=500)) == 0
