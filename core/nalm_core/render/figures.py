# SPDX-License-Identifier: Apache-2.0
"""Figures as text."""

from __future__ import annotations

from math import expm1

from nalm_core.text.percents import change_percent, interval_percent
from nalm_core.verdict.change import Change, Figure

MISSING = "-"


def number(value: float | None) -> str:
    """Cycles or instructions per packet."""
    return MISSING if value is None else f"{value:.1f}"


def change(ln_ratio: float | None) -> str:
    """A relative change given as the logarithm of a ratio."""
    return MISSING if ln_ratio is None else change_percent(expm1(ln_ratio))


def interval(of: Change) -> str:
    """The interval of a change in cycles."""
    if of.low is None or of.high is None:
        return MISSING
    return interval_percent(of.low - 1, of.high - 1)


def named(figure: Figure | None) -> dict[str, float]:
    """Figures of one arm by metric name, without missing ones."""
    if figure is None:
        return {}
    found = {"cpp": figure.cpp, "ipp": figure.ipp, "eipc": figure.eipc}
    return {name: value for name, value in found.items() if value is not None}
