# SPDX-License-Identifier: Apache-2.0
"""The rule by which a finding that was measured again is confirmed, dismissed or left open."""

from __future__ import annotations

from itertools import permutations
from math import exp, log

import numpy as np
import pytest
from nalm_core.findings.confirmation import Answer, Measurement, Ratio, Where, combined, decide
from nalm_core.report.defaults import ALPHA, MARGIN
from scipy.special import ndtri

LEVEL = 0.99
SE = 0.004


def run_of(size: float, se: float = SE, level: float = LEVEL) -> Ratio:
    half = float(ndtri(0.5 + level / 2)) * se
    return Ratio(1 + size, exp(log(1 + size) - half), exp(log(1 + size) + half), level)


def same_host(outcome: str | None, size: float | None = None) -> Measurement:
    return Measurement(Where.SAME, "bench-1", outcome, None if size is None else run_of(size))


def other_host(outcome: str | None) -> Measurement:
    return Measurement(Where.OTHER, "bench-2", outcome)


FIRST = run_of(0.02)


def answer(*measured: Measurement, first: Ratio | None = FIRST, kind: str = "regression") -> Answer:
    return decide("broken" if kind == "broken" else "regression", first, measured, margin=MARGIN).answer


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["regressed"], Answer.CONFIRMED),
        (["same"], Answer.DISMISSED),
        (["improved"], Answer.DISMISSED),
        ([None], Answer.WAITING),
        ([], Answer.WAITING),
        (["inconclusive"], Answer.AGAIN),
        (["invalid", "same"], Answer.DISMISSED),
        (["inconclusive", "invalid"], Answer.INCONCLUSIVE),
        (["lost"], Answer.INCONCLUSIVE),
        (["broken"], Answer.AGAIN),
    ],
)
def test_what_the_first_host_says(outcomes: list[str | None], expected: Answer) -> None:
    assert answer(*(same_host(one) for one in outcomes), first=None) is expected


def test_undecided_runs_confirm_together_what_neither_does_alone() -> None:
    assert answer(same_host("inconclusive", 0.015)) is Answer.CONFIRMED
    assert answer(same_host("inconclusive", -0.015)) is Answer.AGAIN
    assert answer(same_host("inconclusive", 0.008), first=run_of(0.011)) is Answer.AGAIN, "below the margin"
    wide = Measurement(Where.SAME, "bench-1", "inconclusive", run_of(0.005, 0.02))
    assert answer(wide, first=run_of(0.03, 0.001)) is Answer.AGAIN, "what was measured since says nothing"


def test_the_first_run_alone_confirms_nothing() -> None:
    assert answer(same_host("lost"), first=run_of(0.5)) is Answer.INCONCLUSIVE


def test_a_broken_head_is_confirmed_by_breaking_again() -> None:
    assert answer(same_host("broken"), kind="broken") is Answer.CONFIRMED
    assert answer(same_host("inconclusive"), kind="broken") is Answer.DISMISSED
    assert answer(same_host("invalid"), kind="broken") is Answer.AGAIN


def test_another_host_that_does_not_see_it_makes_it_specific_to_the_first() -> None:
    found = decide("regression", FIRST, [same_host("regressed"), other_host("same")], margin=MARGIN)
    assert (found.answer, found.seen_on, found.not_seen_on) == (Answer.CONFIRMED, ("bench-1",), ("bench-2",))


def test_without_the_first_host_nothing_is_dismissed() -> None:
    instead = Measurement(Where.INSTEAD, "bench-2", "same")
    found = decide("regression", FIRST, [instead], margin=MARGIN)
    assert found.answer is Answer.INCONCLUSIVE
    assert "the host that measured it first has left the pool" in found.why


def test_the_order_of_the_answers_does_not_matter() -> None:
    """Whatever came in first, once all are in the answer is the same, and none before is taken back."""
    outcomes = ("regressed", "same", "inconclusive", "lost")
    for first in outcomes:
        for second in outcomes:
            requested = [same_host(first), other_host(second)]
            final = answer(*requested)
            for hidden, one in permutations(range(2), 2):
                early = list(requested)
                early[hidden] = Measurement(requested[hidden].where, requested[hidden].host, None)
                assert answer(*early) in (Answer.WAITING, final), (first, second, one)


def test_combining_weighs_by_precision_and_ignores_order_and_direction() -> None:
    runs = [run_of(0.02, 0.002), run_of(0.0, 0.008), run_of(0.03, 0.004, 0.95)]
    together = combined(runs, 0.001)
    assert together is not None
    assert together.low < together.ratio < together.high
    assert abs(log(together.ratio) - log(1.02)) < abs(log(together.ratio) - log(1.0))
    backwards = combined(runs[::-1], 0.001)
    assert backwards is not None
    assert backwards.ratio == pytest.approx(together.ratio)
    upside_down = combined(
        [Ratio(1 / one.ratio, 1 / one.high, 1 / one.low, one.level) for one in runs], 0.001
    )
    assert upside_down is not None
    assert upside_down.low == pytest.approx(1 / together.high)


def test_a_run_without_a_usable_interval_takes_no_part() -> None:
    assert combined([], 0.01) is None
    assert combined([Ratio(1.0, 1.0, 1.0, 0.99), Ratio(1.0, 0.0, 2.0, 0.99)], 0.01) is None


@pytest.mark.nightly
def test_what_is_not_there_is_hardly_ever_confirmed() -> None:
    """Runs of equal builds, the first of which regressed by chance."""
    rng, low = np.random.default_rng(6), float(ndtri(1 - ALPHA / 2))
    confirmed = 0
    raised = 20_000
    for _ in range(raised):
        errors = rng.normal(size=4)
        errors[0] = abs(errors[0]) + low  # far beyond what raises one
        outcomes = ["regressed" if one > low else "inconclusive" for one in errors]
        sizes = [exp(0.006 * one) - 1 for one in errors]
        first = run_of(sizes[0], 0.006)
        requested = [Measurement(Where.SAME, "a", outcomes[1], run_of(sizes[1], 0.006))]
        found = decide("regression", first, requested, margin=MARGIN)
        if found.answer is Answer.AGAIN:
            requested.append(Measurement(Where.SAME, "a", outcomes[2], run_of(sizes[2], 0.006)))
            found = decide("regression", first, requested, margin=MARGIN)
        confirmed += found.answer is Answer.CONFIRMED
    assert confirmed * ALPHA / 2 < 0.001 * raised, "of all runs without a change"
