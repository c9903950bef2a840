# SPDX-License-Identifier: Apache-2.0
"""Pauses between tries."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice

from nalm_core.wire.backoff import Backoff


def test_pauses_double_up_to_a_limit_until_the_tries_are_used_up() -> None:
    assert list(Backoff(1.0, 5.0, tries=5).pauses()) == [1.0, 2.0, 4.0, 5.0]
    assert list(islice(Backoff(1.0, 4.0).pauses(), 100))[-1] == 4.0
    assert [Backoff(1.0, 5.0, tries=2).used_up(tries) for tries in (1, 2, 3)] == [False, True, True]
    assert not Backoff(1.0, 5.0).used_up(10**9)
    assert Backoff(1.0, 5.0).pause(10**9) == timedelta(seconds=5)


def test_jitter_spreads_a_pause_and_a_request_of_the_other_side_is_kept() -> None:
    policy = Backoff(10.0, 100.0, jitter=0.25)
    assert [policy.seconds(1, chance=chance) for chance in (0.0, 0.5, 1.0)] == [7.5, 10.0, 12.5]
    assert policy.longest == timedelta(seconds=125)
    assert policy.seconds(1, at_least=900.0) == 900.0
    drawn = [policy.seconds(2) for _ in range(100)]
    assert len(set(drawn)) > 1 and all(15.0 <= seconds <= 25.0 for seconds in drawn)
