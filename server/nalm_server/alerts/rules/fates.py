# SPDX-License-Identifier: Apache-2.0
"""What becomes of a series that moved."""

from __future__ import annotations

from enum import StrEnum


class Fate(StrEnum):
    ALERT = "alert"
    """Part of an alert."""
    MUTED = "muted"
    EXPECTED = "expected"
    """Within a declared bound."""
    BELOW_FLOOR = "below_floor"
    """Below the noise floor that a false alarm set."""
