# SPDX-License-Identifier: Apache-2.0
"""The search for a culprit: right with every oracle that does not lie, and quick."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_core.findings.bisection import (
    Culprit,
    Finding,
    Measure,
    NoChange,
    Range,
    Step,
    Undecided,
    more_time,
    next_budget,
    next_step,
)
from nalm_core.report.defaults import BUDGET_SECONDS


def search(last: int, culprit: int | None, skipped: set[int]) -> tuple[Step, int]:
    """Where the search ends with an oracle that knows, and how often it asked."""
    findings: dict[int, Finding] = {}
    while isinstance(step := next_step(last, findings), Measure):
        place = step.place
        assert 0 < place <= last
        assert place not in findings, "asked twice"
        changed = culprit is not None and place >= culprit
        findings[place] = Finding.SKIP if place in skipped else Finding.BAD if changed else Finding.GOOD
    return step, len(findings)


@given(st.data(), st.integers(1, 300))
def test_the_culprit_is_found_in_logarithmic_time(data: st.DataObject, last: int) -> None:
    culprit = data.draw(st.integers(1, last))
    end, requested = search(last, culprit, set())
    assert end == Culprit(culprit)
    assert requested <= 1 + math.ceil(math.log2(last)) + (last > 1)


@given(st.data(), st.integers(1, 60))
def test_skipped_candidates_cost_precision_and_never_the_truth(data: st.DataObject, last: int) -> None:
    culprit = data.draw(st.integers(1, last))
    skipped = data.draw(st.sets(st.integers(1, last)))
    end, _ = search(last, culprit, skipped)
    if last in skipped:
        assert end == Undecided()
        return
    if isinstance(end, Range):
        assert end.low < culprit <= end.high
        assert set(range(end.low + 1, end.high)) <= skipped, "a range holds only what could not be told"
        return
    assert end == Culprit(culprit)


@given(st.dictionaries(st.integers(1, 40), st.sampled_from(list(Finding))), st.integers(1, 40))
def test_contradictory_findings_end_too(findings: dict[int, Finding], last: int) -> None:
    """Noise may have decided wrongly: the search must end, not be right."""
    known = {place: finding for place, finding in findings.items() if place <= last}
    for _ in range(last + 2):
        step = next_step(last, known)
        if not isinstance(step, Measure):
            return
        assert step.place not in known
        known[step.place] = Finding.BAD if step.place % 2 else Finding.GOOD
    raise AssertionError("still asking")


def test_no_change_between_the_ends() -> None:
    assert search(8, None, set()) == (NoChange(), 1)


def test_all_between_skipped_is_a_range() -> None:
    assert search(4, 2, {1, 2, 3})[0] == Range(0, 4)


def test_bad_must_come_after_good() -> None:
    with pytest.raises(ValueError, match="after good"):
        next_step(0, {})


@pytest.mark.parametrize("by_toml", [40.0, BUDGET_SECONDS, 3600.0])
def test_budgets_double_up_to_a_number_of_measurements(by_toml: float) -> None:
    budgets = [by_toml]
    while (longer := next_budget(budgets[-1], len(budgets))) is not None:
        budgets.append(longer)
    assert budgets == [by_toml, 2 * by_toml, 4 * by_toml, 8 * by_toml]


def test_a_report_that_does_not_say_is_of_the_default() -> None:
    assert more_time(None) == more_time(BUDGET_SECONDS) > BUDGET_SECONDS
