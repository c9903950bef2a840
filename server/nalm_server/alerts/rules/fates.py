# SPDX-License-Identifier: Apache-2.0
"""What becomes of a series that moved."""

from __future__ import annotations

from enum import StrEnum


class Fate(StrEnum):
    ALERT = "alert"
    """Part of a finding that somebody is told of."""
    MUTED = "muted"
    EXPECTED = "expected"
    """Within the bound of what somebody declared."""
    BELOW_FLOOR = "below_floor"
    """No larger than what was marked as false before."""
