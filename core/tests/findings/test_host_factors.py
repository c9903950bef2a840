# SPDX-License-Identifier: Apache-2.0
"""Properties of hosts that move measurements are found by their size, and others are not."""

from __future__ import annotations

import numpy as np
import pytest
from nalm_core.findings.host_factors import MIN_RUNS, Fact, RecordedRun, factors
from nalm_core.text.host_advice import ADVICE, LABELS, advice, label

RUNS = 1200


def recorded(rng: np.random.Generator, runs: int = RUNS, size: float = 1.0) -> list[RecordedRun]:
    """A kernel that came with a microcode (1 %), a second host (2 %), steal (0.4 % per per cent), and an
    hour, a load and a governor that do nothing. Scenarios differ for reasons of their own."""
    found = []
    for place in range(runs):
        new, steal = place > 0.6 * runs, float(rng.gamma(1, 0.02))
        host = "b" if rng.random() < 0.4 else "a"
        moved = size * (0.01 * new + 0.02 * (host == "b") + 0.4 * steal)
        facts: dict[str, Fact] = {
            "kernel": "6.6" if new else "6.1",
            "microcode": "0x2" if new else "0x1",
            "host": host,
            "steal": steal if place % 10 else None,
            "hour": f"{place % 8}",
            "load": float(rng.normal(2, 1)),
            "governor": "performance",
        }
        scenario = place % 3
        found.append(RecordedRun(f"{scenario}", scenario + moved + rng.normal(0, 0.006), place, facts))
    return found


def test_what_moves_measurements_is_found_with_its_size() -> None:
    found = factors(recorded(np.random.default_rng(1)))
    by_name = {one.name: one for one in found.factors}
    assert [one.name for one in found.factors[:2]] == ["host", "steal"]
    assert all(by_name[name].significant for name in ("host", "steal", "kernel", "microcode"))
    assert not any(by_name[name].significant for name in ("hour", "load"))
    assert "governor" not in by_name, "it never differed"
    (usual, other) = by_name["host"].effects
    assert (usual.value, usual.change, other.value) == ("a", 0, "b")
    assert other.change == pytest.approx(0.02, abs=4 * other.error)
    (steal,) = by_name["steal"].effects
    low, high = map(float, steal.value.split(" to "))
    assert steal.change == pytest.approx(np.expm1(0.4 * (high - low)), rel=0.15)
    assert 0.6 < found.explained < 0.95
    assert found.explained == pytest.approx(sum(one.share for one in found.factors))


def test_properties_that_changed_together_are_said_to() -> None:
    found = factors(recorded(np.random.default_rng(2)))
    together = {one.name: one.together for one in found.factors}
    assert (together["kernel"], together["microcode"], together["host"]) == (["microcode"], ["kernel"], [])


def test_where_nothing_matters_hardly_anything_is_called_significant() -> None:
    wrong = tries = 0
    for seed in range(40):
        found = factors(recorded(np.random.default_rng(100 + seed), 200, size=0.0))
        tries += 1
        wrong += any(one.significant for one in found.factors)
        assert found.explained < 0.2
    assert wrong <= 0.1 * tries


def test_a_drift_of_the_host_is_not_taken_for_a_kernel() -> None:
    """Neighbours in time are alike, so that they tell less than as many independent runs."""
    wrong = 0
    for seed in range(20):
        rng = np.random.default_rng(300 + seed)
        walk = np.cumsum(rng.normal(0, 0.002, 300))
        runs = [
            RecordedRun("one", float(walk[n]), n, {"kernel": "6.6" if n > 150 else "6.1"}) for n in range(300)
        ]
        wrong += any(one.significant for one in factors(runs).factors)
    assert wrong <= 8


def test_too_few_runs_or_equal_ones_show_nothing() -> None:
    assert factors([]).factors == []
    few = recorded(np.random.default_rng(3), MIN_RUNS - 1)
    assert (factors(few).factors, factors(few).runs) == ([], MIN_RUNS - 1)
    same = [RecordedRun("one", 1.0, n, {"host": "ab"[n % 2]}) for n in range(100)]
    assert factors(same).factors == []


def test_every_property_has_a_name_and_advice() -> None:
    assert set(LABELS) == set(ADVICE)
    assert label("numa_nodes") == "numa nodes" and "numa nodes" in advice("numa_nodes")


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(2594.0, 2611.0, "2594 to 2611"), (0.0, 0.2, "0 to 0.2"), (50.84, 57.2, "50.8 to 57.2")],
)
def test_a_quantity_has_the_digits_that_people_read(low: float, high: float, shown: str) -> None:
    rng = np.random.default_rng(6)
    runs = [
        RecordedRun(
            "0", 0.03 * (place % 2) + rng.normal(0, 0.001), place, {"what": high if place % 2 else low}
        )
        for place in range(2 * MIN_RUNS)
    ]
    (factor,) = factors(runs).factors
    assert [one.value for one in factor.effects] == [shown]
