# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition, not for a time."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(condition: Callable[[], bool], seconds: float = 60) -> bool:
    """True as soon as the condition holds, False when it did not within the time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False
