# SPDX-License-Identifier: Apache-2.0
"""Amounts in messages."""

from __future__ import annotations


def amount(number: int, noun: str) -> str:
    """`1 run`, `2 runs`, for nouns with a regular plural."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
