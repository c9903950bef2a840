# SPDX-License-Identifier: Apache-2.0
"""Relative figures as every sentence and table shows them: in per cent, with a space before the sign."""

from __future__ import annotations


def share_percent(share: float, digits: int = 1) -> str:
    """0.0125 as `1.2 %`. digits: after the point."""
    return f"{100 * share:.{digits}f} %"


def change_percent(change: float, digits: int = 1) -> str:
    """A relative change, signed: 0.01 as `+1.0 %`."""
    return f"{100 * change:+.{digits}f} %"


def interval_percent(low: float, high: float) -> str:
    """What a relative change lies between: `-1.0 .. +2.0 %`."""
    return f"{100 * low:+.1f} .. {change_percent(high)}"
