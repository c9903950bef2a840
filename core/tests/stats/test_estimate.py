# SPDX-License-Identifier: Apache-2.0
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_core.stats.estimate import estimate_ratio, estimate_ratio_unpaired, middle_launches

VALUES = st.lists(st.floats(1, 1e6), min_size=3, max_size=12)


def test_against_the_textbook_t_interval_of_the_log_ratios() -> None:
    """For small spread the linearised ratio and the mean of ln ratios agree to second order."""
    rng = np.random.default_rng(7)
    base, head = (100 * np.exp(rng.normal(shift, 0.01, 12)) for shift in (0.0, 0.05))
    logs = np.log(head / base)
    half = 3.1058 * logs.std(ddof=1) / 12**0.5  # t(0.995, 11)
    estimate = estimate_ratio(list(base), list(head))
    assert estimate is not None
    low, high = estimate.interval(0.01)
    assert estimate.ln_ratio == pytest.approx(logs.mean(), abs=1e-4)
    assert low == pytest.approx(exp(logs.mean() - half), abs=2e-4)
    assert high == pytest.approx(exp(logs.mean() + half), abs=2e-4)


@given(VALUES, st.floats(1e-3, 1e3), st.randoms(use_true_random=False))
def test_scale_and_order_do_not_matter(values, scale, random) -> None:
    base = values
    head = [value * (1.1 + 0.01 * index) for index, value in enumerate(values)]
    pairs = list(zip(base, head, strict=True))
    random.shuffle(pairs)
    plain = estimate_ratio(base, head)
    other = estimate_ratio([b * scale for b, _ in pairs], [h * scale for _, h in pairs])
    assert plain is not None and other is not None
    assert other.ln_ratio == pytest.approx(plain.ln_ratio, abs=1e-9)
    assert other.standard_error == pytest.approx(plain.standard_error, abs=1e-9)


@given(VALUES)
def test_swapping_the_arms_turns_the_sign(values) -> None:
    head = values[1:] + values[:1]
    forth, back = estimate_ratio(values, head), estimate_ratio(head, values)
    assert forth is not None and back is not None
    assert forth.ln_ratio == pytest.approx(-back.ln_ratio, abs=1e-12)
    assert forth.p_value() == pytest.approx(back.p_value())


def test_what_moves_both_sides_cancels_only_when_paired() -> None:
    host = [1.0, 1.3, 0.8, 1.1, 1.2]
    base, head = [100 * h for h in host], [105 * h for h in host]
    paired, alone = estimate_ratio(base, head), estimate_ratio_unpaired(base, head)
    assert paired is not None and alone is not None
    assert paired.standard_error == pytest.approx(0, abs=1e-12)
    assert alone.standard_error > 0.05
    assert paired.ratio == pytest.approx(1.05) and alone.ratio == pytest.approx(1.05)


@pytest.mark.parametrize(("base", "head"), [([], []), ([1.0], [1.0]), ([0.0, 0.0], [1.0, 1.0])])
def test_too_little_gives_no_estimate(base, head) -> None:
    assert estimate_ratio(base, head) is None


def test_launches_must_be_pairs() -> None:
    with pytest.raises(ValueError, match="pairs"):
        estimate_ratio([1.0, 2.0], [1.0, 2.0, 3.0])


def test_equal_arms_differ_with_no_probability() -> None:
    same = estimate_ratio([100.0, 101.0], [100.0, 101.0])
    assert same is not None and same.p_value() == 1.0


@pytest.mark.parametrize(("launches", "left"), [(3, 3), (6, 6), (8, 8), (12, 10), (18, 14)])
def test_launches_at_both_ends_are_left_out(launches: int, left: int) -> None:
    base = [100.0] * launches
    head = [100.0 + index for index in range(launches)]
    kept = middle_launches(base, head)
    cut = (launches - left) // 2
    assert kept.indices == list(range(cut, launches - cut))


def test_one_wild_launch_in_twelve_neither_moves_nor_widens_the_interval_much() -> None:
    rng = np.random.default_rng(11)
    base, head = (list(100 * np.exp(rng.normal(0, 0.01, 12))) for _ in range(2))
    wild = [*head[:-1], head[-1] * 3]
    quiet, robust = (estimate_ratio(base, side, kept=middle_launches(base, side)) for side in (head, wild))
    naive = estimate_ratio(base, wild)
    assert quiet is not None and robust is not None and naive is not None
    assert robust.ln_ratio == pytest.approx(quiet.ln_ratio, abs=0.01)
    assert robust.standard_error < 1.5 * quiet.standard_error < naive.standard_error


def spikes(rng: np.random.Generator, launches: int) -> np.ndarray:
    """One launch in twenty is 30 % slower."""
    return 1 + rng.normal(0, 0.003, launches) + 0.3 * (rng.random(launches) < 0.05)


def heavy_tails(rng: np.random.Generator, launches: int) -> np.ndarray:
    return 1 + 0.006 * rng.standard_t(3, launches)


@pytest.mark.parametrize("noise", [spikes, heavy_tails])
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_a_stage_of_equal_builds_is_no_more_often_significant_than_its_rate(noise, share) -> None:
    """The chain's ratio chooses the launches, so a small stage's outliers stay in its mean."""
    rng, found, tries, launches = np.random.default_rng(5), 0, 400, 17
    for _ in range(tries):
        stages = [200 * share * noise(rng, launches) for _ in range(2)]
        others = [200 * (1 - share) * (1 + rng.normal(0, 0.01, launches)) for _ in range(2)]
        chains = [list(stage + other) for stage, other in zip(stages, others, strict=True)]
        estimate = estimate_ratio(*map(list, stages), kept=middle_launches(*chains))
        assert estimate is not None
        found += estimate.p_value() < 0.05
    assert found / tries < 0.07


def test_the_chain_has_the_error_of_its_trimmed_mean() -> None:
    """Tukey and McLaughlin: the winsorised standard deviation over the kept share, by the root of all."""
    rng = np.random.default_rng(2)
    base, head = np.full(12, 100.0), 100 * np.exp(rng.normal(0, 0.01, 12))
    estimate = estimate_ratio(list(base), list(head), kept=middle_launches(list(base), list(head)))
    ordered = np.sort(head)
    winsorised = np.clip(head, ordered[1], ordered[-2]).std(ddof=1) / ordered[1:-1].mean()
    assert estimate is not None
    assert estimate.standard_error == pytest.approx(winsorised * 12**0.5 / 10)
