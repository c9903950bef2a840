# SPDX-License-Identifier: Apache-2.0
"""How long until the next try at a notification."""

from __future__ import annotations

from datetime import timedelta

from nalm_core.wire.backoff import Backoff

RETRY = Backoff(first_seconds=10.0, longest_seconds=3600.0, tries=12, jitter=0.25)
"""Over about three and a half hours."""
BREATH_SECONDS = 30.0
"""For which an integration that was away gets nothing else either."""
LONGEST_REQUESTED_SECONDS = 24 * 3600.0
"""Of a pause that the other side requests."""


def breath(requested_seconds: float | None) -> timedelta:
    """How long an integration that was away, or requested a pause, is left alone."""
    return timedelta(seconds=max(BREATH_SECONDS, _requested(requested_seconds)))


def before_next(tries: int, requested_seconds: float | None, chance: float | None = None) -> timedelta:
    """The pause after so many tries; never shorter than what the other side requests."""
    return RETRY.pause(tries, at_least=_requested(requested_seconds), chance=chance)


def _requested(seconds: float | None) -> float:
    return min(seconds or 0.0, LONGEST_REQUESTED_SECONDS)
