# SPDX-License-Identifier: Apache-2.0
"""Histories with cuts where their environment changed. Each part is judged separately."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from nalm_core.changepoints.detect import Commit, detections
from nalm_core.changepoints.results import ChangePoint, Detection


def parts(length: int, cuts: Iterable[int]) -> list[tuple[int, int]]:
    """(first, end) of each part. cuts: first indices of new environments, in any order."""
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < length}), length]
    return list(pairwise(bounds))


def detect_between(series: Sequence[Commit], cuts: Iterable[int], since: int = 0) -> list[ChangePoint]:
    """Change points of one history with cuts, with indices into the whole. `since`: as in `detect`."""
    return detection_between(series, cuts, since).changes


def detection_between(series: Sequence[Commit], cuts: Iterable[int], since: int = 0) -> Detection:
    """What is found in one history with cuts, with indices into the whole. `since`: as in `detect`."""
    found = Detection([], [], [])
    for first, end in parts(len(series), cuts):
        if end <= since:
            continue
        (part,) = detections([series[first:end]], since=max(0, since - first))
        part = part.moved(first)
        found.changes.extend(part.changes)
        found.suspicions.extend(part.suspicions)
        found.visits.extend(part.visits)
    return found
