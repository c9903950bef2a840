# SPDX-License-Identifier: Apache-2.0
"""How many of what, in messages to people."""

from __future__ import annotations


def amount(number: int, noun: str) -> str:
    """`1 run`, `2 runs`: of nouns whose plural is regular."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
