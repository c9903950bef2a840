# SPDX-License-Identifier: Apache-2.0
"""The procedure as a whole: looks, spending, and its error rates over simulated runs of known truth."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from nalm_core.report.defaults import (
    ALPHA,
    DEFAULT_SETTINGS,
    EQUAL_COUNTS_ALPHA,
    EQUIVALENCE_ALPHA,
    LOOKS,
    MARGIN,
    MAX_LAUNCHES,
)
from nalm_core.report.run_report import Settings
from nalm_core.stats.estimate import RatioEstimate, estimate_ratio, middle_launches
from nalm_core.stats.sequential import (
    decide,
    decide_at,
    least_for_change,
    look_for,
    look_schedule,
    same_spent_at,
    spent_at,
)
from nalm_core.verdict.verdict import judge
from nalm_synthetic import Side, changed, make_report
from tiers import by_night, size_of_tier

EQUAL_COUNTS = DEFAULT_SETTINGS.model_copy(update={"equal_counts": True})
Draw = Callable[[np.random.Generator, int], np.ndarray]
LAUNCH_SD = 0.006
"""Between launches, of ln CPP and per arm: the ratio of a pair then spreads by 0.8 %, as on a shared VM."""


def normal(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(0, LAUNCH_SD, n)


def heavy(rng: np.random.Generator, n: int) -> np.ndarray:
    return LAUNCH_SD * rng.standard_t(3, n)


def bands(rng: np.random.Generator, n: int) -> np.ndarray:
    """Memory layout: a fifth of the launches cost 5 % more."""
    return np.where(rng.random(n) < 0.2, 0.03, 0.0) + rng.normal(0, 0.002, n)


def spikes(rng: np.random.Generator, n: int) -> np.ndarray:
    return normal(rng, n) + np.where(rng.random(n) < 0.05, 0.2, 0.0)


def estimate(base: np.ndarray, head: np.ndarray) -> RatioEstimate | None:
    """As a run estimates its chain."""
    old, new = base.tolist(), head.tolist()
    return estimate_ratio(old, new, kept=middle_launches(old, new))


def run(
    rng: np.random.Generator, draw: Draw, change: float, settings: Settings = DEFAULT_SETTINGS
) -> tuple[str, int]:
    """(outcome, launches) of one run whose true ratio is exp(change)."""
    base, head = (100 * np.exp(draw(rng, MAX_LAUNCHES) + shift) for shift in (0.0, change))
    for look, launches in enumerate(look_schedule(settings), start=1):
        outcome = decide_at(estimate(base[:launches], head[:launches]), settings, look)
        if outcome is not None:
            return outcome, launches
    return "inconclusive", MAX_LAUNCHES


def share(outcomes: Counter[str], *names: str) -> float:
    return sum(outcomes[name] for name in names) / outcomes.total()


def upper(rate: float, runs: int) -> float:
    """A rate seen in so many runs stays below this, if the true one is at most `rate` (3 standard errors)."""
    return rate + 3 * (rate * (1 - rate) / runs) ** 0.5


@pytest.mark.parametrize("draw", [*by_night(normal, heavy), bands, spikes], ids=lambda draw: draw.__name__)
def test_false_alarms_of_equal_builds(draw: Draw) -> None:
    rng, runs = np.random.default_rng(2026), size_of_tier(3000, 750)
    outcomes = Counter(run(rng, draw, 0.0)[0] for _ in range(runs))
    assert share(outcomes, "regressed", "improved") <= upper(ALPHA, runs)


@pytest.mark.nightly
def test_false_alarms_stay_within_alpha_even_without_the_margins_help() -> None:
    """The t tests alone, all looks together, on normal noise: the spending is right by itself."""
    rng, runs, alarms = np.random.default_rng(3), size_of_tier(4000, 1000), 0
    for _ in range(runs):
        base, head = (100 * np.exp(normal(rng, MAX_LAUNCHES)) for _ in range(2))
        for look, launches in enumerate(look_schedule(DEFAULT_SETTINGS), start=1):
            found = estimate(base[:launches], head[:launches])
            assert found is not None
            low, high = found.interval(spent_at(ALPHA, DEFAULT_SETTINGS, look))
            if not low <= 1 <= high:
                alarms += 1
                break
    assert alarms / runs <= upper(ALPHA, runs)


@pytest.mark.nightly
@pytest.mark.parametrize("settings", [DEFAULT_SETTINGS, EQUAL_COUNTS], ids=["counts differ", "equal counts"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_change_of_the_margin_is_hardly_ever_called_same(sign: int, settings: Settings) -> None:
    rng, runs = np.random.default_rng(4), size_of_tier(2000, 500)
    outcomes = Counter(run(rng, normal, sign * np.log1p(MARGIN), settings)[0] for _ in range(runs))
    assert share(outcomes, "same") <= upper(EQUIVALENCE_ALPHA, runs)
    assert share(outcomes, "improved" if sign > 0 else "regressed") == 0


def test_equal_counts_are_called_same_sooner_and_a_change_of_cycles_is_found_as_before() -> None:
    """Another build of the same work differs by its placement, here by 0.3 %."""
    launches, runs = dict.fromkeys((False, True), 0), size_of_tier(600, 300)
    for equal in launches:
        rng = np.random.default_rng(9)
        settings = EQUAL_COUNTS if equal else DEFAULT_SETTINGS
        launches[equal] = sum(run(rng, normal, rng.normal(0, 0.003), settings)[1] for _ in range(runs))
        rng = np.random.default_rng(10)
        outcomes = Counter(run(rng, normal, np.log1p(0.02), settings)[0] for _ in range(runs))
        assert share(outcomes, "regressed") > 0.95 and share(outcomes, "same", "improved") < 0.005
    assert launches[True] < 0.95 * launches[False]


@pytest.mark.parametrize(("change", "outcome"), [(0.05, "regressed"), (-0.05, "improved")])
def test_a_change_of_5_percent_is_found_at_the_first_look(change: float, outcome: str) -> None:
    rng, first = np.random.default_rng(5), look_schedule(DEFAULT_SETTINGS)[0]
    results = [run(rng, normal, np.log1p(change)) for _ in range(size_of_tier(2000, 500))]
    assert sum(result == (outcome, first) for result in results) / len(results) > 0.98
    assert sum(result[0] == outcome for result in results) / len(results) > 0.999


def test_equal_builds_are_mostly_called_same_by_the_middle_of_the_looks() -> None:
    rng, middle = np.random.default_rng(6), look_schedule(DEFAULT_SETTINGS)[LOOKS // 2]
    results = [run(rng, normal, 0.0) for _ in range(size_of_tier(2000, 500))]
    assert sum(outcome == "same" and n <= middle for outcome, n in results) / len(results) > 0.9
    assert sum(outcome == "same" for outcome, _ in results) / len(results) > 0.97


@pytest.mark.parametrize(("change", "found"), [(0.02, 0.95), (0.03, 0.999)])
def test_changes_of_2_and_3_percent_are_found(change: float, found: float) -> None:
    rng = np.random.default_rng(7)
    outcomes = Counter(run(rng, normal, np.log1p(change))[0] for _ in range(size_of_tier(2000, 500)))
    assert share(outcomes, "regressed") > found and share(outcomes, "same", "improved") < 0.005


@pytest.mark.parametrize("rate", [ALPHA, EQUIVALENCE_ALPHA])
@pytest.mark.parametrize(("looks", "most"), [(1, 4), (LOOKS, MAX_LAUNCHES), (4, 7), (8, 5)])
def test_what_the_looks_spend_adds_up_to_the_rate(rate: float, looks: int, most: int) -> None:
    first = {"first_look": None} if looks == 4 else {}
    settings = DEFAULT_SETTINGS.model_copy(update={"looks": looks, "max_launches": most, **first})
    schedule = look_schedule(settings)
    assert schedule == sorted(set(schedule)) and schedule[-1] == most
    spent = [spent_at(rate, settings, look) for look in range(1, len(schedule) + 1)]
    assert all(part > 0 for part in spent)
    assert sum(spent) == pytest.approx(rate)


def test_what_equal_counts_spend_on_same_adds_up_to_less() -> None:
    looks = range(1, LOOKS + 1)
    spent = [same_spent_at(EQUAL_COUNTS, look) for look in looks]
    assert all(part > 0 for part in spent) and sum(spent) == pytest.approx(EQUAL_COUNTS_ALPHA)
    plain = [same_spent_at(DEFAULT_SETTINGS, look) for look in looks]
    assert plain == [spent_at(EQUIVALENCE_ALPHA, DEFAULT_SETTINGS, look) for look in looks]
    assert sum(spent[:5]) > 0.65 * EQUAL_COUNTS_ALPHA and sum(plain[:5]) < 0.5 * EQUIVALENCE_ALPHA


def test_a_run_cut_short_uses_up_the_next_look() -> None:
    first, second, *_, last = look_schedule(DEFAULT_SETTINGS)
    looks = [look_for(n, DEFAULT_SETTINGS) for n in (1, first, first + 1, second, last, last + 5)]
    assert looks == [1, 1, 2, 2, LOOKS, LOOKS]


def test_looks_follow_in_equal_ratios_from_the_first_and_evenly_as_in_version_1() -> None:
    assert look_schedule(DEFAULT_SETTINGS) == [6, 9, 12, 17, 25, 35, 50, 72]
    even = DEFAULT_SETTINGS.model_copy(update={"looks": 3, "first_look": None, "max_launches": 18})
    assert look_schedule(even) == [6, 12, 18]
    short = DEFAULT_SETTINGS.model_copy(update={"max_launches": 4})
    assert look_schedule(short) == [4]


def test_decide_goes_on_between_looks_and_agrees_with_judge_at_them() -> None:
    slow = changed(nat=180.0)
    first = look_schedule(DEFAULT_SETTINGS)[0]
    early = decide(make_report(slow, launches=first - 1))
    assert (early.outcome, early.next_look) == (None, first)
    assert decide(make_report(slow, launches=first + 1)).outcome is None
    at_look = make_report(slow, launches=first)
    assert decide(at_look).outcome == judge(at_look).outcome == "regressed"


def test_decide_ends_at_the_last_launch() -> None:
    wide = make_report(changed(nat=157.0), launches=MAX_LAUNCHES, seed=3)
    noisy = make_report(changed(nat=157.0), launches=MAX_LAUNCHES)
    for report in (wide, noisy):
        assert decide(report).outcome is not None
        assert decide(report).next_look is None


def test_decide_without_any_round_goes_on() -> None:
    empty = make_report(changed(), launches=0)
    assert decide(empty).outcome is None and decide(empty).launches == 0


def test_a_price_alone_is_measured_until_the_first_look() -> None:
    first = look_schedule(DEFAULT_SETTINGS)[0]
    head = Side(features=["nat", "dpi", "l3fwd"])
    assert decide(make_report(head, launches=first - 1)).outcome is None
    assert decide(make_report(head, launches=first)).outcome == "same"
    head.code = "b"
    assert decide(make_report(head, launches=first)).outcome == "inconclusive"


def test_launches_with_a_spike_are_lived_with() -> None:
    """A tenth of the pairs of launches is hit by 20 %: none is told apart wrongly, most are decided."""
    rng, runs = np.random.default_rng(8), size_of_tier(1500, 300)
    equal = Counter(run(rng, spikes, 0.0)[0] for _ in range(runs))
    slower = Counter(run(rng, spikes, np.log1p(0.08))[0] for _ in range(runs))
    assert share(equal, "same") > 0.8
    assert share(slower, "regressed") > 0.9


def one_of_two(rng: np.random.Generator, n: int) -> np.ndarray:
    """A launch has one of two layouts by chance, and hardly any other noise."""
    return np.where(rng.random(n) < 0.5, 0.1, 0.0) + rng.normal(0, 0.001, n)


def a_few_counts(rng: np.random.Generator, n: int) -> np.ndarray:
    """19, 20 or 21."""
    return np.log(rng.choice([0.95, 1.0, 1.05], n))


@pytest.mark.parametrize("launches", [3, 4, 5])
@pytest.mark.parametrize("draw", [one_of_two, a_few_counts], ids=lambda draw: draw.__name__)
def test_a_few_launches_with_few_values_show_no_change(draw: Draw, launches: int) -> None:
    """A run that its time ended. Three launches of equal builds were called changed in 2 to 3 %."""
    rng, runs = np.random.default_rng(6), 3000
    look, found = look_for(launches, DEFAULT_SETTINGS), Counter[str]()
    for _ in range(runs):
        base, head = (100 * np.exp(draw(rng, launches)) for _ in range(2))
        found[decide_at(estimate(base, head), DEFAULT_SETTINGS, look) or "undecided"] += 1
    assert share(found, "regressed", "improved") <= upper(ALPHA, runs)


def test_the_smaller_the_error_rate_the_more_launches_show_a_change() -> None:
    assert [least_for_change(alpha) for alpha in (0.05, ALPHA, 0.001, 0.0)] == [3, 4, 6, 3]


def test_three_launches_apart_are_too_few_for_a_change_and_the_verdict_says_so() -> None:
    few = make_report(changed(nat=240.0), launches=3, turns=3)
    verdict = judge(few)
    assert verdict.outcome == "inconclusive"
    assert "in 3 launches, which can be chance: a change can be shown from 4 on" in verdict.reason
    assert judge(make_report(changed(nat=240.0), launches=4, turns=3)).outcome == "regressed"
