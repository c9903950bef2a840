# SPDX-License-Identifier: Apache-2.0
"""Amounts in messages."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """`nat`, `nat and dpi`, `nat, dpi and l3fwd`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def listed_at_most(names: Sequence[str], most: int) -> str:
    """The first names and how many follow: `nat, dpi and 3 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def amount(number: int, noun: str) -> str:
    """`1 run`, `2 runs`, for nouns with a regular plural."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def pps_text(pps: float) -> str:
    """A rate with a readable unit."""
    for unit, size in (("Mpps", 1e6), ("kpps", 1e3)):
        if pps >= size:
            return f"{pps / size:.3f} {unit}"
    return f"{pps:.0f} pps"
