# SPDX-License-Identifier: Apache-2.0
"""The format of relative figures in all sentences and tables: percent, with a space before the sign. Pages
have the same rules (web/src/shared/logic/text/format.ts)."""

from __future__ import annotations

from math import floor, log10


def share_percent(share: float, digits: int = 1) -> str:
    """A share: 0.0125 as `1.2 %`. digits: digits after the point."""
    return f"{100 * share:.{digits}f} %"


def margin_percent(margin: float) -> str:
    """A margin with all of its digits, as it was given: 0.0015 as `0.15 %`, 0.05 as `5 %`."""
    return f"{100 * margin:g} %"


LARGEST_CHANGE = 9.995
"""A larger change is written as a factor: nobody can picture its percentage."""


def change_percent(change: float) -> str:
    """A relative change, signed, with digits by its size: 0.0076 as `+0.76 %`, 0.0112 as `+1.1 %`, 1.5 as
    `+150 %`, 255.186 as `×256`."""
    text = signed_percent(change)
    return text if change > LARGEST_CHANGE else f"{text} %"


def signed_percent(change: float) -> str:
    """The same without the sign for per cent."""
    return _signed(change, _decimals(change))


def bracketed_percent(low: float, high: float) -> str:
    """An interval behind a change: `[-0.4, +1.2]`. Both ends have the digits of the larger one."""
    return f"[{', '.join(_ends(low, high))}]"


def interval_percent(low: float, high: float) -> str:
    """An interval in a column of its own: `-1.0 .. +2.0 %`."""
    text = " .. ".join(_ends(low, high))
    return text if high > LARGEST_CHANGE else f"{text} %"


def _ends(low: float, high: float) -> list[str]:
    decimals = min(_decimals(low), _decimals(high))
    return [_signed(one, decimals) for one in (low, high)]


def _decimals(change: float) -> int:
    """Small changes need more digits after the point."""
    size = 100 * abs(change)
    return 0 if size >= 99.95 else 1 if size >= 0.995 else 2


def _signed(change: float, decimals: int) -> str:
    if change > LARGEST_CHANGE:
        return f"×{1 + change:.{1 if 1 + change < 99.95 else 0}f}"
    return f"{100 * change:+.{decimals}f}"


SMALL_RATE = 0.1
"""In per cent: below this, two digits after the point would not tell rates apart."""


def rate_percent(rate: float) -> str:
    """A rate of few hits: 0.0705 as `7.05 %`, 0.5 as `50.0 %`, 1 as `100 %`, 0.00084 as `0.084 %`."""
    value = 100 * rate
    if 0 < value < SMALL_RATE:
        return share_percent(rate, 1 - floor(log10(float(f"{value:.1e}"))))
    return share_percent(rate, 0 if value >= 99.95 or value == 0 else 1 if value >= 10 else 2)
