# SPDX-License-Identifier: Apache-2.0
"""How long until the next try: twice as long each time, spread, up to a limit."""

from __future__ import annotations

import random
from datetime import timedelta

FIRST_SECONDS = 10.0
LONGEST_SECONDS = 3600.0
TRIES = 12
"""Over about three and a half hours."""
BREATH_SECONDS = 30.0
"""For which an integration that was away is told nothing else either."""
LONGEST_REQUESTED_SECONDS = 24 * 3600.0
"""Of a pause that the other side asks for."""


def breath(requested_seconds: float | None) -> timedelta:
    """How long an integration that was away, or asked for a pause, is left alone."""
    return timedelta(seconds=max(BREATH_SECONDS, min(requested_seconds or 0.0, LONGEST_REQUESTED_SECONDS)))


def before_next(tries: int, requested_seconds: float | None, spread: float | None = None) -> timedelta:
    """The pause after so many tries; never shorter than what the other side asked for."""
    spread = random.random() if spread is None else spread
    usual = min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** (tries - 1)) * (0.75 + spread / 2)
    return timedelta(seconds=max(usual, min(requested_seconds or 0.0, LONGEST_REQUESTED_SECONDS)))
