# SPDX-License-Identifier: Apache-2.0
"""What people made of findings is apart from what measurements showed; delays are told as what they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from nalm_server.alerts.states import AlertState
from nalm_server.self_test.finding_figures import accepted, delay, findings
from nalm_server.self_test.finding_repository import ListedFinding
from nalm_server.self_test.repository import Ended

AT = datetime(2026, 11, 21, tzinfo=UTC)


def found(state: AlertState, *, after: int | None = None, minutes: float | None = None) -> ListedFinding:
    begun = AT - timedelta(minutes=minutes) if minutes is not None else None
    return ListedFinding(state, False, AT, AT if after is not None else None, after or 0, begun)


@pytest.mark.parametrize(
    ("decision", "counts"),
    [
        (AlertState.FIXED, (1, 1)),
        (AlertState.EXPECTED, (1, 1)),
        (AlertState.ACKNOWLEDGED, (1, 1)),
        (AlertState.FALSE_ALARM, (0, 1)),
        (AlertState.REOPENED, (0, 0)),
        (None, (0, 0)),
    ],
)
def test_only_people_decide(decision: AlertState | None, counts: tuple[int, int]) -> None:
    share = accepted([Ended(AT, False, True, decision)])
    assert (share.hits, share.trials) == counts


def test_a_measured_fix_is_neither_a_confirmation_nor_a_decision() -> None:
    shown = findings([found(AlertState.FIXED)], [Ended(AT, False, True, None), Ended(AT, True, False, None)])
    assert (shown.fix_measured.hits, shown.fix_measured.trials) == (1, 1)
    assert shown.confirmed.trials == shown.dismissed.trials == shown.accepted.trials == 0
    assert shown.accepted.said == "nobody has decided on a finding yet"


@pytest.mark.parametrize(
    ("several", "said"),
    [
        ([], "no finding was confirmed yet"),
        ([(1, None)], "1 alert confirmed; delay 1 measured commit"),
        ([(1, 5.0)], "1 alert confirmed; delay 1 measured commit; delay 5 minutes"),
        (
            [(1, 5.0), (2, None)],
            "2 alerts confirmed; median delay 1.5 measured commits, longest 2; "
            "delay 5 minutes (1 of 2 known)",
        ),
    ],
)
def test_a_delay_is_reported_in_words_that_hold(several: list[tuple[int, float | None]], said: str) -> None:
    those = [found(AlertState.CONFIRMED, after=after, minutes=minutes) for after, minutes in several]
    assert delay(those).said == said
