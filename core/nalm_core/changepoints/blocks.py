# SPDX-License-Identifier: Apache-2.0
"""Blocks of commits that are judged together, and the commits that each block decides.

The blocks are the windows of `detect` over the commits of a line, the same for all its series. So a commit at
the line's end, or a block with changed commits, can be judged without reading all earlier history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from nalm_core.changepoints.constants import HOP, WINDOW


@dataclass(frozen=True, slots=True)
class Block:
    """Commits [start, end) are judged together; changes in [keep_from, keep_to) are reported."""

    start: int
    end: int
    keep_from: int
    keep_to: int


def blocks(length: int, cuts: Sequence[int]) -> list[Block]:
    """Blocks of a line of `length` commits. No block crosses a cut."""
    bounds = sorted({0, length, *(at for at in cuts if 0 < at < length)})
    return [block for start, end in pairwise(bounds) for block in _of_segment(start, end)]


def _of_segment(first: int, end: int) -> list[Block]:
    starts = list(range(first, max(first + 1, end - WINDOW + HOP), HOP)) if end - first > WINDOW else [first]
    margin = (WINDOW - HOP) // 2
    return [
        Block(
            start,
            min(start + WINDOW, end),
            first if start == first else start + margin,
            end if start == starts[-1] else start + margin + HOP,
        )
        for start in starts
    ]
