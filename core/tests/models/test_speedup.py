# SPDX-License-Identifier: Apache-2.0
"""Speedup with lcores (Wu et al., Eq. 1 to 5): the curve, its fit, and what the fit refuses to say."""

from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.speedup import (
    Factors,
    SpeedupFit,
    Throughput,
    fit_speedup,
    gain,
    pipeline_overheads,
    speedup,
)

TRUTH = Factors(f_t=1.104, f_a=0.04, f_s=0.10, f=0.004)
PUBLISHED = {
    1: 1.0,
    2: 1.757962,
    4: 2.787879,
    8: 3.780822,
    15: 4.181818,
    16: 4.181818,
    32: 3.704698,
    64: 2.686131,
}
COUNTS = (1, 2, 4, 6, 8, 12, 16)
A, B, C = 0.96 / 1.104, 0.14 / 1.104, 0.004 / 1.104
PEAK = sqrt(A / C)
CEILING = 1 / (B + 2 * sqrt(A * C))


def measured(rates: dict[int, float], scale: float = 2.1e6) -> list[Throughput]:
    return [Throughput(count, (scale * rate,)) for count, rate in rates.items()]


def noisy(rng: np.random.Generator, rates: dict[int, float], launches: int = 1) -> list[Throughput]:
    return [
        Throughput(count, tuple(rate * float(noise) for noise in rng.normal(1, 0.01, launches)))
        for count, rate in rates.items()
    ]


def exact(counts: tuple[int, ...] = COUNTS) -> dict[int, float]:
    return {count: speedup(TRUTH, count) for count in counts}


def capped(counts: tuple[int, ...]) -> dict[int, float]:
    """min(S_u(n), S_u(5)): the published firewall, whose NIC of 100 Gbit/s gives no gain beyond 5 cores."""
    return {count: min(speedup(TRUTH, count), speedup(TRUTH, 5)) for count in counts}


@pytest.mark.parametrize(("lcores", "expected"), PUBLISHED.items())
def test_the_curve_has_the_values_of_the_vector(lcores: int, expected: float) -> None:
    """f_t 1.104, f_a 0.04, f_s 0.10, f 0.004, to 1e-6. f_t is inferred from S(1) = 1: 1 + f_s + f."""
    assert speedup(TRUTH, lcores) == pytest.approx(expected, abs=1e-6)


def test_peak_and_ceiling_of_the_vector() -> None:
    found = fit_speedup(measured(exact()), f_s=0.10)
    assert found.peak is not None and found.ceiling is not None
    assert found.peak.value == pytest.approx(15.4919, abs=1e-4)
    assert found.ceiling.value == pytest.approx(4.182841, abs=1e-6)


def test_without_noise_the_fit_is_exact_and_every_factor_follows_from_f_s() -> None:
    """A, B, C and the four factors to 1e-9."""
    found = fit_speedup(measured(exact()), f_s=0.10)
    assert (found.a.value, found.b.value, found.c.value) == pytest.approx((A, B, C), abs=1e-9)
    factors = found.factors
    assert factors is not None and found.ranges is None and found.cap is None
    assert (factors.f_t.value, factors.f_a.value, factors.f.value) == pytest.approx(
        (1.104, 0.04, 0.004), abs=1e-9
    )
    assert all(abs(point.residual) < 1e-9 for point in found.points)


def test_without_f_s_only_ranges_are_said() -> None:
    found = fit_speedup(measured(exact()))
    assert found.factors is None and found.ranges is not None
    low, high = found.ranges.f_a
    assert low == 0 and high == pytest.approx(B / (1 - C))
    assert found.ranges.f_s == pytest.approx((0, B / A))
    for name in ("f_t", "f_a", "f_s", "f"):
        low, high = getattr(found.ranges, name)
        assert low <= getattr(TRUTH, name) <= high
    assert any("cannot be told apart" in note for note in found.notes)


def test_any_reference_count() -> None:
    """Published speedups are relative to 4 cores; peak does not depend on the reference, the ceiling does."""
    found = fit_speedup(measured(exact((4, 6, 8, 12, 16, 20))))
    assert found.reference == 4 and found.at(4).speedup.value == pytest.approx(1)
    assert found.at(16).speedup.value == pytest.approx(speedup(TRUTH, 16) / speedup(TRUTH, 4))
    assert found.peak is not None and found.peak.value == pytest.approx(PEAK)
    assert found.ceiling is not None
    assert found.ceiling.value == pytest.approx(CEILING / speedup(TRUTH, 4))
    assert found.factors is None and found.ranges is None
    assert fit_speedup(measured(exact((4, 6, 8, 12))), reference=8).at(8).speedup.value == pytest.approx(1)


@pytest.mark.parametrize("counts", [(1, 2, 4, 5, 6, 8), (1, 2, 3, 4, 6, 8, 10), (1, 2, 4, 6, 8)])
def test_a_cap_by_another_bound_is_named_with_its_place(counts: tuple[int, ...]) -> None:
    found = fit_speedup(measured(capped(counts)), f_s=0.1)
    assert found.cap is not None
    assert found.cap.speedup == pytest.approx(speedup(TRUTH, 5))
    assert found.cap.from_lcores == pytest.approx(5, abs=1e-6)
    assert found.c.value == pytest.approx(C, abs=1e-9), "the curve itself is that of the counts below the cap"
    beyond = found.at(32)
    assert beyond.capped and beyond.speedup.value == pytest.approx(speedup(TRUTH, 5))
    assert fit_speedup(measured(capped((1, 2, 3, 4)))).cap is None


def test_a_cap_is_reported_through_noise_and_none_is_seen_where_none_is() -> None:
    rng = np.random.default_rng(3)
    firewall = capped((1, 2, 3, 4, 5, 6, 8, 10, 12))
    named = [fit_speedup(noisy(rng, firewall, launches=5)) for _ in range(20)]
    places = [found.cap.from_lcores for found in named if found.cap is not None]
    assert len(places) >= 18 and np.median(places) == pytest.approx(5, abs=0.3)
    rising = exact()
    assert sum(fit_speedup(noisy(rng, rising, launches=5)).cap is not None for _ in range(40)) <= 2


def _covered(found: SpeedupFit) -> list[bool]:
    pairs = [(found.a, A), (found.b, B), (found.c, C), (found.at(24).speedup, speedup(TRUTH, 24))]
    if found.factors is not None:
        pairs += [(found.factors.f_t, 1.104), (found.factors.f_a, 0.04), (found.factors.f, 0.004)]
    if found.peak is not None and found.ceiling is not None:
        pairs += [(found.peak, PEAK), (found.ceiling, CEILING)]
    return [
        (one.low is None or one.low <= truth) and (one.high is None or truth <= one.high)
        for one, truth in pairs
    ]


@pytest.mark.parametrize(
    ("draws", "least"), [(60, 0.85), pytest.param(2000, 0.93, marks=pytest.mark.nightly, id="2000")]
)
@pytest.mark.parametrize("launches", [1, 4])
def test_intervals_cover_the_truth(draws: int, least: float, launches: int) -> None:
    """1 % noise at 1, 2, 4, 6, 8, 12 and 16 lcores: 95 % intervals cover at least 93 % of 2,000 draws."""
    rng = np.random.default_rng(11)
    covered = [_covered(fit_speedup(noisy(rng, exact(), launches), f_s=0.1)) for _ in range(draws)]
    whole = [one for one in covered if len(one) == 9]
    assert len(whole) > 0.9 * draws
    shares = np.array(whole).mean(axis=0)
    assert shares.min() >= least, shares


def test_no_peak_is_said_where_c_is_not_above_0() -> None:
    rng = np.random.default_rng(5)
    straight = {count: count / (0.9 + 0.1 * count) for count in (1, 2, 4, 8)}
    found = fit_speedup(noisy(rng, straight, launches=4))
    assert found.peak is None and found.ceiling is None
    assert any("no peak seen up to 8 lcores" in note for note in found.notes)


def test_a_curve_that_misses_its_launches_says_so() -> None:
    rates = {1: (1.0, 1.0001), 2: (1.9, 1.9001), 4: (2.2, 2.2001), 6: (4.9, 4.9001), 8: (5.0, 5.0001)}
    found = fit_speedup([Throughput(count, each) for count, each in rates.items()])
    assert found.lack_of_fit is not None and found.lack_of_fit < 1e-3
    assert any("residuals" in note for note in found.notes)


def test_predictions_outside_the_measured_counts_are_marked() -> None:
    found = fit_speedup(measured(exact()))
    assert not found.at(10).extrapolated and found.at(32).extrapolated
    assert fit_speedup(measured(exact((2, 4, 8, 16)))).at(1).extrapolated


def test_three_counts_without_launches_have_no_interval() -> None:
    found = fit_speedup(measured(exact((1, 4, 8))))
    assert found.c.low is None and any("no intervals" in note for note in found.notes)
    assert found.c.value == pytest.approx(C)


def test_a_pipeline_has_one_overhead_per_lcore() -> None:
    """f_i of the stages: hand-over cycles over the CPP of one lcore. Equal values are one f."""
    overheads = pipeline_overheads([25.5, 51.0, 25.5], 802.2)
    assert overheads == pytest.approx((0.031788, 0.063575, 0.031788), abs=1e-6)
    equal = Factors(1.104, 0.04, 0.1, (0.004,) * 8)
    assert speedup(equal, 8) == pytest.approx(3.780822, abs=1e-6)
    with pytest.raises(ModelInputError, match="f: has 8 values"):
        speedup(equal, 9)


def test_gain_is_old_time_over_new_time() -> None:
    assert gain(802.2, 401.1) == pytest.approx(2)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: fit_speedup(measured(exact((1, 2)))), "core counts: 2 given, expected at least 3"),
        (lambda: fit_speedup(measured({1: 1.0}) * 3), "core counts: 1 given"),
        (lambda: Throughput(4, (0.0,)), "rate with 4 lcores"),
        (lambda: Throughput(4, ()), "rate with 4 lcores: has no value"),
        (lambda: Throughput(0, (1.0,)), "lcores"),
        (lambda: fit_speedup(measured(exact()), f_s=float("nan")), "f_s"),
        (lambda: fit_speedup(measured(exact()), reference=0), "reference"),
        (
            lambda: fit_speedup(measured(capped((1, 2, 4, 5, 6, 8))), reference=8),
            "reference: 8 lcores are beyond",
        ),
        (lambda: fit_speedup(measured(exact())).at(0), "lcores"),
        (lambda: speedup(TRUTH, 0), "lcores"),
        (lambda: gain(0, 1), "time of the original"),
    ],
)
def test_inputs_that_the_model_cannot_carry_are_refused_by_name(
    call: Callable[[], object], said: str
) -> None:
    with pytest.raises(ModelInputError, match=said):
        call()
