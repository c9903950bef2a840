# SPDX-License-Identifier: Apache-2.0
"""Pauses between tries of a notification."""

from __future__ import annotations

from datetime import timedelta

from nalm_core.wire.backoff import Backoff

RETRY = Backoff(first_seconds=10.0, longest_seconds=3600.0, tries=12, jitter=0.25)
"""Over about three and a half hours."""
BREATH_SECONDS = 30.0
"""Pause of an integration that did not answer, for all its notifications."""
LONGEST_REQUESTED_SECONDS = 24 * 3600.0
"""Longest pause that a receiver may request."""


def breath(requested_seconds: float | None) -> timedelta:
    """Pause of an integration that did not answer, or requested a pause."""
    return timedelta(seconds=max(BREATH_SECONDS, _requested(requested_seconds)))


def before_next(tries: int, requested_seconds: float | None, chance: float | None = None) -> timedelta:
    """Pause after this many tries; never shorter than the receiver requests."""
    return RETRY.pause(tries, at_least=_requested(requested_seconds), chance=chance)


def _requested(seconds: float | None) -> float:
    return min(seconds or 0.0, LONGEST_REQUESTED_SECONDS)
