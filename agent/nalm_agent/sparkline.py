# SPDX-License-Identifier: Apache-2.0
"""A series in one line of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

BLOCKS: Final = "▁▂▃▄▅▆▇█"
PLAIN: Final = "_.-=+*#@"
"""Where the output's encoding has no blocks."""


def sparkline(values: Sequence[float | None], encoding: str | None) -> str:
    """A letter for each value, from the lowest to the highest; a blank where there is none."""
    known = [value for value in values if value is not None]
    levels = BLOCKS if (encoding or "").lower().replace("-", "").startswith("utf") else PLAIN
    low, high = min(known, default=0.0), max(known, default=0.0)
    last = len(levels) - 1

    def letter(value: float | None) -> str:
        if value is None:
            return " "
        return levels[round((value - low) / (high - low) * last)] if high > low else levels[0]

    return "".join(map(letter, values))
