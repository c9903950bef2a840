# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition, never for a time."""

from __future__ import annotations

import threading
import time
from typing import Any

PATIENCE_SECONDS = 60
POLL_SECONDS = 0.05


def until(condition: Any, what: str, *, patience_seconds: float = PATIENCE_SECONDS) -> Any:
    """The condition's value, as soon as it is true."""
    ends = time.monotonic() + patience_seconds
    while time.monotonic() < ends:
        if found := condition():
            return found
        threading.Event().wait(POLL_SECONDS)
    raise AssertionError(f"in vain: {what}")
