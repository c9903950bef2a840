# SPDX-License-Identifier: Apache-2.0
"""The geometric mean over scenarios: its value, how often its interval contains the truth, its counts."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from nalm_core.findings.confirmation import Ratio, quantile
from nalm_core.findings.overall_change import (
    NO_CHANGE,
    OverallChange,
    Pair,
    overall_change,
    overall_text,
    pair_of,
    ratio_of,
    scenario_changes,
)
from nalm_core.report.outcome import Outcome
from nalm_core.verdict.verdict import judge
from nalm_synthetic import changed, make_report

TRIALS = 4000


def ratio(value: float, error: float = 0.002, level: float = 0.99) -> Ratio:
    half = quantile(level) * error
    return Ratio(value, value * exp(-half), value * exp(half), level)


def pair(
    scenario: str, of: Ratio | None, outcome: Outcome = Outcome.SAME, commit: str = "c", host: str = "h"
) -> Pair:
    return Pair(commit, scenario, host, outcome, of)


def test_the_mean_of_a_commit_is_the_geometric_mean_of_its_scenarios() -> None:
    found = overall_change(
        [
            pair("a", ratio(1.20), Outcome.REGRESSED),
            pair("b", ratio(0.80), Outcome.IMPROVED),
            pair("c", NO_CHANGE),
            pair("d", None, Outcome.INVALID),
            pair("e", None, Outcome.BROKEN),
        ]
    )
    assert found.ratio == pytest.approx((1.20 * 0.80) ** (1 / 3))
    assert (found.averaged, found.regressed, found.improved, found.same) == (3, 1, 1, 1)
    assert (found.undecided, found.broken) == (1, 1)


def test_commits_one_after_another_multiply_and_scenarios_are_averaged() -> None:
    pairs = [
        pair("a", ratio(1.02), Outcome.REGRESSED, "2"),
        pair("a", ratio(1.03), Outcome.REGRESSED, "1"),
        pair("b", ratio(1.00), Outcome.SAME, "1"),
    ]
    assert overall_change(pairs).ratio == pytest.approx(sqrt(1.02 * 1.03))
    a, b = scenario_changes(pairs)
    assert (a.ratio, a.pairs, a.outcome) == (pytest.approx(1.02 * 1.03), 2, Outcome.REGRESSED)
    assert (b.pairs, b.outcome) == (1, Outcome.SAME)


def test_runs_under_load_are_counted_and_not_averaged() -> None:
    """Equal code under load has no ratio of CPP, and does not hide a tail of the same week."""
    pairs = [
        pair("a", ratio(1.02), Outcome.REGRESSED, "3"),
        pair("a:rate", NO_CHANGE, Outcome.SAME, "3"),
        pair("a:rate", None, Outcome.REGRESSED, "2"),
        pair("a:rate", None, Outcome.IMPROVED, "1"),
        pair("a:soak", None, Outcome.INCONCLUSIVE, "1"),
    ]
    found = overall_change(pairs)
    assert (found.ratio, found.averaged) == (pytest.approx(1.02), 1)
    assert (found.regressed, found.improved, found.same, found.undecided) == (2, 0, 0, 1)
    rates = scenario_changes(pairs)[1]
    assert (rates.outcome, rates.ratio, rates.pairs) == (Outcome.REGRESSED, None, 0)


def test_errors_of_one_host_and_commit_are_added_and_others_as_squares() -> None:
    def half(pairs: list[Pair]) -> float:
        found = overall_change(pairs)
        assert found.low is not None and found.high is not None
        return (log(found.high) - log(found.low)) / 2 / quantile(0.95)

    one_host = [pair("a", ratio(1, 0.003)), pair("b", ratio(1, 0.004))]
    two_hosts = [pair("a", ratio(1, 0.003)), pair("b", ratio(1, 0.004), host="other")]
    two_commits = [pair("a", ratio(1, 0.003)), pair("a", ratio(1, 0.004), commit="d")]
    assert half(one_host) == pytest.approx(0.007 / 2)
    assert half(two_hosts) == pytest.approx(0.005 / 2)
    assert half(two_commits) == pytest.approx(0.005)


@pytest.mark.nightly
@pytest.mark.parametrize("common", [0.0, 0.5, 1.0])
def test_the_interval_contains_the_truth_at_least_as_often_as_it_says(common: float) -> None:
    """Five scenarios of one host at one commit, whose errors have nothing, half or all in common."""
    rng = np.random.default_rng(11)
    truth = [log(1.02), log(0.97), 0.0, log(1.01), 0.0]
    errors = [0.004, 0.002, 0.003, 0.006, 0.001]
    hits = 0
    for _ in range(TRIALS):
        shared, own = rng.normal(), rng.normal(size=5)
        noise = sqrt(common) * shared + sqrt(1 - common) * own
        pairs = [
            pair(str(at), ratio(exp(size + error * noise[at]), error))
            for at, (size, error) in enumerate(zip(truth, errors, strict=True))
        ]
        found = overall_change(pairs)
        assert found.low is not None and found.high is not None
        hits += log(found.low) <= sum(truth) / 5 <= log(found.high)
    assert hits / TRIALS >= 0.94
    if common == 1.0:
        assert hits / TRIALS == pytest.approx(0.95, abs=0.012), "as narrow as errors in common allow"


def test_a_regression_and_its_fix_are_no_change_of_the_week() -> None:
    pairs = [
        pair("a", ratio(1 / 1.05, 0.001), Outcome.IMPROVED, "2"),
        pair("a", ratio(1.05, 0.001), Outcome.REGRESSED),
    ]
    (found,) = scenario_changes(pairs)
    assert found.outcome is Outcome.SAME and found.ratio == pytest.approx(1)


def test_small_changes_that_add_up_are_a_regression_and_uncertain_ones_are_undecided() -> None:
    small = [pair("a", ratio(1.006, 0.001), Outcome.SAME, str(number)) for number in range(3)]
    assert scenario_changes(small)[0].outcome is Outcome.REGRESSED
    unsure = [pair("a", ratio(1.006, 0.01), Outcome.INCONCLUSIVE, str(number)) for number in range(3)]
    assert scenario_changes(unsure)[0].outcome is Outcome.INCONCLUSIVE


def test_a_single_measured_pair_keeps_its_verdict_beside_equal_code() -> None:
    pairs = [pair("a", NO_CHANGE, commit="2"), pair("a", ratio(1.006, 0.0001), Outcome.INCONCLUSIVE)]
    assert scenario_changes(pairs)[0].outcome is Outcome.INCONCLUSIVE
    assert scenario_changes([pair("a", NO_CHANGE)])[0].outcome is Outcome.SAME


def test_the_price_of_features_is_no_change_and_a_change_without_an_interval_has_no_figure() -> None:
    given = {"ratio": 1.2, "low": 1.1, "high": 1.3, "level": 0.99}
    assert ratio_of("same", judged=False, **given) == NO_CHANGE
    assert ratio_of("inconclusive", judged=False, **given) is None
    assert ratio_of("same", judged=True, **given | {"low": None}) is None
    assert ratio_of("same", judged=True, **given) == Ratio(1.2, 1.1, 1.3, 0.99)


def test_a_verdicts_pair_has_its_ratio() -> None:
    verdict = judge(make_report(changed(), launches=6))
    found = pair_of(verdict, "c", "h")
    assert verdict.chain is not None and found.ratio is not None
    assert (found.ratio.ratio, found.ratio.level) == (verdict.chain.ratio_cpp, verdict.chain.level)
    assert overall_change([found]).ratio == pytest.approx(verdict.chain.ratio_cpp)


def test_the_text_says_the_change_its_interval_and_the_counts() -> None:
    counts = {"averaged": 5, "improved": 2, "regressed": 0, "same": 2, "undecided": 1, "broken": 0}
    one = OverallChange(ratio=0.979, low=0.97, high=0.988, level=0.95, **counts)
    said = "cycles per packet -2.1 % [-3.0, -1.2] over 5 scenarios: 1 undecided, 2 improved, 2 same"
    assert overall_text(one) == said
    assert overall_text(overall_change([])) == "cycles per packet not known: no scenario measured"
