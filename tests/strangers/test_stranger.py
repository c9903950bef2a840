# SPDX-License-Identifier: Apache-2.0
"""What the suite accepts as the verdict on a commit of which the cost is known."""

from __future__ import annotations

import pytest
from nalm_core.report.outcome import Outcome
from stranger import objection


@pytest.mark.parametrize("busy", [False, True])
@pytest.mark.parametrize(
    ("expected", "outcome", "code"),
    [
        (None, Outcome.IMPROVED, 0),
        (None, Outcome.REGRESSED, 1),
        (None, Outcome.SAME, 1),
        (None, Outcome.INVALID, 4),
        (None, Outcome.BROKEN, 1),
        (Outcome.REGRESSED, Outcome.SAME, 0),
        (Outcome.REGRESSED, Outcome.SAME, 1),
        (Outcome.REGRESSED, Outcome.IMPROVED, 0),
        (Outcome.REGRESSED, Outcome.BROKEN, 1),
    ],
)
def test_a_wrong_verdict_fails_on_any_host(
    expected: Outcome | None, outcome: Outcome, code: int, busy: bool
) -> None:
    for by_counts in (False, True):
        wrong = objection(expected, outcome, code, busy=busy, by_counts=by_counts)
        assert wrong is not None and wrong.startswith(f"{outcome} with exit code {code}, not ")


def test_what_is_right_on_any_host() -> None:
    for busy in (False, True):
        for outcome, code in ((Outcome.SAME, 0), (Outcome.INCONCLUSIVE, 3)):
            assert objection(None, outcome, code, busy=busy, by_counts=False) is None
        assert objection(Outcome.REGRESSED, Outcome.REGRESSED, 1, busy=busy, by_counts=True) is None


@pytest.mark.parametrize(("by_counts", "code"), [(True, 1), (False, 3)])
def test_cycles_of_a_planted_change_are_undecided_on_a_busy_host_only(by_counts: bool, code: int) -> None:
    """Exact counts fail the check whatever the cycles show."""
    given = (Outcome.REGRESSED, Outcome.INCONCLUSIVE, code)
    assert objection(*given, busy=True, by_counts=by_counts) is None
    assert objection(*given, busy=False, by_counts=by_counts) is not None
    assert objection(*given, busy=True, by_counts=not by_counts) is not None
