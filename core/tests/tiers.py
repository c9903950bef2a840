# SPDX-License-Identifier: Apache-2.0
"""How much is simulated by day and by night."""

import os


def size_of_tier(night: int, day: int) -> int:
    """How many worlds the nightly tier simulates, or `make test`. An assertion computes its bound from it."""
    return night if os.environ.get("WHOLE") else day
