# SPDX-License-Identifier: Apache-2.0
"""Histories with cuts where their environment changed. Each part is judged separately."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from nalm_core.changepoints.detect import ChangePoint, Commit, detect_many


def parts(length: int, cuts: Iterable[int]) -> list[tuple[int, int]]:
    """(first, end) of each part. cuts: first indices of new environments, in any order."""
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < length}), length]
    return list(pairwise(bounds))


def detect_between(series: Sequence[Commit], cuts: Iterable[int], since: int = 0) -> list[ChangePoint]:
    """Change points of one history with cuts, with indices into the whole. `since`: as in `detect`."""
    found: list[ChangePoint] = []
    for first, end in parts(len(series), cuts):
        if end <= since:
            continue
        (changes,) = detect_many([series[first:end]], since=max(0, since - first))
        found += [moved(one, first) for one in changes]
    return found


def moved(one: ChangePoint, by: int) -> ChangePoint:
    """The change, shifted by a number of commits."""
    return replace(one, index=one.index + by, low=one.low + by, high=one.high + by)
