# SPDX-License-Identifier: Apache-2.0
"""What people made of findings: only those they could have seen count."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from nalm_server.alerts.states import AlertState
from nalm_server.quality.fates import accepted
from nalm_server.quality.found import Found

AT = datetime(2026, 11, 21, tzinfo=UTC)


def found(state: AlertState, *, confirmed: bool) -> Found:
    return Found(state, False, AT, AT if confirmed else None, 1, None)


@pytest.mark.parametrize(
    ("state", "confirmed", "counts"),
    [
        (AlertState.FIXED, True, (1, 1)),
        (AlertState.FIXED, False, (0, 0)),
        (AlertState.EXPECTED, False, (1, 1)),
        (AlertState.ACKNOWLEDGED, True, (1, 1)),
        (AlertState.FALSE_ALARM, True, (0, 1)),
        (AlertState.CONFIRMED, True, (0, 0)),
        (AlertState.DISMISSED, False, (0, 0)),
    ],
)
def test_what_was_decided_on(state: AlertState, confirmed: bool, counts: tuple[int, int]) -> None:
    share = accepted([found(state, confirmed=confirmed)])
    assert (share.hits, share.trials) == counts
