# SPDX-License-Identifier: Apache-2.0
"""Sparklines: the last values of a figure as a row of bars."""

from __future__ import annotations

from collections.abc import Sequence

BARS = "▁▂▃▄▅▆▇█"
PLAIN = "_.-=*#"
GAP = " "


def spark(values: Sequence[float | None], width: int, bars: str = BARS) -> str:
    """The last `width` values between the least and the greatest of them; those that lack are gaps."""
    shown = values[-width:]
    known = [value for value in shown if value is not None]
    if not known:
        return ""
    low, span = min(known), max(known) - min(known)
    top = len(bars) - 1
    return "".join(
        GAP if value is None else bars[round((value - low) / span * top) if span else 0] for value in shown
    )
