# SPDX-License-Identifier: Apache-2.0
"""A series in one line of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

BLOCKS: Final = "▁▂▃▄▅▆▇█"
PLAIN: Final = "01234567"
"""Letters for encodings without block characters."""
GAP: Final = "."
"""Stands for a missing figure."""


def sparkline(
    values: Sequence[float | None], encoding: str | None, *, around_zero_within: float | None = None
) -> str:
    """A letter for each value, scaled from the lowest to the highest; a dot for None.

    With around_zero_within, zero is in the middle, and the range reaches at least so far to both sides.
    """
    known = [value for value in values if value is not None]
    if around_zero_within is None:
        low, high = min(known, default=0.0), max(known, default=0.0)
    else:
        high = max([around_zero_within, *map(abs, known)])
        low = -high
    levels = BLOCKS if (encoding or "").lower().replace("-", "").startswith("utf") else PLAIN
    last = len(levels) - 1

    def letter(value: float | None) -> str:
        if value is None:
            return GAP
        return levels[round((value - low) / (high - low) * last)] if high > low else levels[0]

    return "".join(map(letter, values))
