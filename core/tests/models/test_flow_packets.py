# SPDX-License-Identifier: Apache-2.0
"""First packets told from later ones: exact without noise, intervals that cover, break-even, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_core.models.cost import break_even
from nalm_core.models.flow_packets import FlowLine, FlowTrial, bends, break_even_length, fit_flows
from nalm_core.models.quantity import ModelInputError

SHARES = (0.005, 0.05, 0.1, 0.2)
LAUNCHES = 5


def trials(first: float, later: float, noise: np.random.Generator | None = None) -> list[FlowTrial]:
    """Launches move both costs by 2 %, trials each by 1 %."""
    found = []
    for launch in range(LAUNCHES):
        moved = 1.0 if noise is None else 1 + noise.normal(0, 0.02)
        for share in SHARES:
            error = 1.0 if noise is None else 1 + noise.normal(0, 0.01)
            cost = (share * first + (1 - share) * later) * moved * error
            found.append(FlowTrial(launch, share, cost))
    return found


costs = st.floats(min_value=1, max_value=1e6)


@given(
    first=costs,
    later=costs,
    shares=st.lists(st.integers(1, 100), min_size=2, max_size=6, unique=True),
    launches=st.integers(1, 4),
)
def test_a_line_without_noise_is_found_exactly(
    first: float, later: float, shares: list[int], launches: int
) -> None:
    found = fit_flows(
        [
            FlowTrial(launch, share / 100, share / 100 * first + (1 - share / 100) * later)
            for launch in range(launches)
            for share in shares
        ]
    )
    assert found.launches == launches
    assert found.first.value == pytest.approx(first, rel=1e-6, abs=1e-6 * later)
    assert found.later.value == pytest.approx(later, rel=1e-6, abs=1e-6 * first)
    assert (found.first.low is None) == (launches == 1)


@pytest.mark.parametrize(
    ("draws", "least"), [(200, 0.90), pytest.param(2000, 0.935, marks=pytest.mark.nightly, id="2000")]
)
def test_intervals_cover_the_truth(draws: int, least: float) -> None:
    """First packets 900 and 400 cycles, later ones 180 and 258: break-even 1 + 500 / 78 packets."""
    noise = np.random.default_rng(18)
    truth = (900.0, 180.0, 1 + 500 / 78)
    inside = np.zeros(3)
    for _ in range(draws):
        cache, plain = fit_flows(trials(900, 180, noise)), fit_flows(trials(400, 258, noise))
        found = (cache.first, cache.later, break_even_length(cache, plain))
        inside += [
            one.low is not None and one.high is not None and one.low <= value <= one.high
            for one, value in zip(found, truth, strict=True)
        ]
    assert (inside / draws >= least).all(), inside / draws
    assert (inside[:2] / draws <= 0.99).all(), "intervals are no wider than they need to be"


def exact(first: float, later: float) -> FlowLine:
    return fit_flows(trials(first, later))


def test_break_even_is_that_of_the_paper_where_all_packets_cost_the_same() -> None:
    """r1_on 900, r_on 180, r_off 258: N* = 9.23."""
    found = break_even_length(exact(900, 180), exact(258, 258)).value
    assert found == pytest.approx(break_even(900, 180, 258)) == pytest.approx(9.23, abs=0.005)


def test_at_the_break_even_length_both_cost_the_same() -> None:
    cache, plain = exact(900, 180), exact(400, 258)
    later = break_even_length(cache, plain).value - 1
    assert 900 + later * 180 == pytest.approx(400 + later * 258)


def test_a_cache_that_never_pays_is_refused() -> None:
    with pytest.raises(ModelInputError, match=r"cycles later: 300 with the cache are not below 258 without"):
        break_even_length(exact(900, 300), exact(258, 258))


@pytest.mark.parametrize("given_trials", [[], [FlowTrial(0, 0.1, 200.0), FlowTrial(1, 0.2, 210.0)]])
def test_one_share_in_each_launch_is_refused(given_trials: list[FlowTrial]) -> None:
    with pytest.raises(ModelInputError, match="shares: no launch has valid trials at 2 distinct shares"):
        fit_flows(given_trials)


def test_a_share_off_the_line_is_named_and_noise_is_not() -> None:
    noise = np.random.default_rng(7)
    straight = trials(900, 180, noise)
    requested = [one.share for one in straight]
    assert bends(straight, requested, fit_flows(straight)) == {}
    bent = [
        FlowTrial(one.launch, one.share, one.cost * (1.3 if one.share == 0.2 else 1.0)) for one in straight
    ]
    assert 0.2 in bends(bent, requested, fit_flows(bent))
