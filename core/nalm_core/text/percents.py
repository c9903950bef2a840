# SPDX-License-Identifier: Apache-2.0
"""The format of relative figures in all sentences and tables: percent, with a space before the sign."""

from __future__ import annotations


def share_percent(share: float, digits: int = 1) -> str:
    """A share: 0.0125 as `1.2 %`. digits: digits after the point."""
    return f"{100 * share:.{digits}f} %"


def margin_percent(margin: float) -> str:
    """A margin with all of its digits, as it was given: 0.0015 as `0.15 %`, 0.05 as `5 %`."""
    return f"{100 * margin:g} %"


WHOLE_FROM = 10.0
"""From this change on, decimals say nothing."""


def change_percent(change: float, digits: int = 1) -> str:
    """A relative change, signed: 0.01 as `+1.0 %`, 255.186 as `+25,519 %`."""
    return f"{signed_percent(change, digits)} %"


def signed_percent(change: float, digits: int = 1) -> str:
    """The same without the sign for per cent, as in an interval."""
    return f"{100 * change:+,.{0 if abs(change) >= WHOLE_FROM else digits}f}"


def interval_percent(low: float, high: float, digits: int = 1) -> str:
    """An interval of a relative change: `-1.0 .. +2.0 %`."""
    return f"{signed_percent(low, digits)} .. {change_percent(high, digits)}"


ONE_DIGIT_FROM = 0.01
"""Margin from which one digit after the point tells a change from none."""


def digits_for(margin: float) -> int:
    """Digits after the point for changes of cycles that are judged at a margin."""
    return 1 if margin >= ONE_DIGIT_FROM else 2
