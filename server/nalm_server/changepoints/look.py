# SPDX-License-Identifier: Apache-2.0
"""One look at the history of a scenario on a host class: reads only blocks that were not judged before."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, TypedDict

from nalm_core.changepoints.blocks import Block, blocks
from nalm_core.changepoints.cuts import cuts
from nalm_core.changepoints.series_changes import HostStep, Values, chain_share, changes
from sqlalchemy.orm import Session

from nalm_server.changepoints import measured_line_repository as repository
from nalm_server.changepoints.measured_line import Line, LineCommit
from nalm_server.changepoints.measured_line_repository import SeriesName
from nalm_server.results.series.entry import CHAIN


@dataclass(frozen=True, slots=True)
class Found:
    """A change point, commits by number; `low` is the last that is certainly of the old level."""

    series: int
    commit: int
    low: int
    high: int
    ratio: float
    probability: float
    chain_share: float | None


class HostStepFound(TypedDict):
    """A change of one host alone, by numbers; stored with the look."""

    series: int
    host: int
    commit: int
    ratio: float


@dataclass
class Looked:
    """Result of a look."""

    series: list[int]
    digests: list[str]
    cuts: list[dict[str, Any]]
    places: dict[int, int]
    """Positions of all commits of the line, by number."""
    begins: set[int]
    """First commits of segments."""
    judged: set[int] = field(default_factory=set)
    """Commits that were judged."""
    found: list[Found] = field(default_factory=list)
    host_steps: list[HostStepFound] = field(default_factory=list)


def look(session: Session, line: Line, series: Mapping[int, SeriesName], known: Sequence[str]) -> Looked:
    """Judges the blocks whose digest is not known."""
    begins = cuts([one.measured for one in line.commits], line.environments)
    cut = blocks(len(line.commits), [one.at for one in begins])
    digests = [_digest(line, block) for block in cut]
    looked = Looked(
        list(series),
        digests,
        [
            {
                "sha": line.commits[one.at].sha,
                "kind": one.kind,
                "changes": [change.model_dump() for change in one.changes],
            }
            for one in begins
        ],
        {one.commit: place for place, one in enumerate(line.commits)},
        {line.commits[one.at].commit for one in begins},
    )
    changed = _changed(digests, known)
    for number in changed:
        _judge(session, line.commits, series, cut[number], looked)
    return looked


def _changed(digests: Sequence[str], known: Sequence[str]) -> list[int]:
    """Changed blocks and their neighbours: two blocks may see one change on either side of their border."""
    before = set(known)
    changed = {number for number, digest in enumerate(digests) if digest not in before}
    near = {n + step for n in changed for step in (-1, 0, 1)}
    return sorted(n for n in near if 0 <= n < len(digests))


def _digest(line: Line, block: Block) -> str:
    fields = [
        f"{block.keep_from - block.start} {block.keep_to - block.start}",
        *(f"{one.commit} {one.runs}" for one in line.commits[block.start : block.end]),
    ]
    return hashlib.sha256("\n".join(fields).encode()).hexdigest()[:32]


def _judge(
    session: Session,
    commits: Sequence[LineCommit],
    series: Mapping[int, SeriesName],
    block: Block,
    looked: Looked,
) -> None:
    part = commits[block.start : block.end]
    by_series = _values(session, series, part)
    numbers = list(by_series)
    hosts = [one.measured.host for one in part]
    chains = {
        (name.metric, name.source): by_series[number]
        for number, name in series.items()
        if name.stage == CHAIN and number in by_series
    }
    for number, found in zip(numbers, changes([by_series[n] for n in numbers], hosts), strict=True):
        name = series[number]
        for step in found.hosts:
            if _decides(block, step.index):
                looked.host_steps.append(_host_step(number, step, part[step.index].commit))
        for one in found.changes:
            if not _decides(block, one.index):
                continue
            share = chain_share(one, by_series[number], chains.get((name.metric, name.source)))
            at, low, high = (part[n].commit for n in (one.index, max(one.low - 1, 0), one.high))
            looked.found.append(Found(number, at, low, high, one.ratio, one.probability, share))
    looked.judged.update(one.commit for one in commits[block.keep_from : block.keep_to])


def _decides(block: Block, index: int) -> bool:
    """True if the block decides about a change there; index: from the block's start."""
    return index > 0 and block.keep_from <= index + block.start < block.keep_to


def _host_step(series: int, step: HostStep, commit: int) -> HostStepFound:
    return {"series": series, "host": step.host, "commit": commit, "ratio": step.ratio}


def _values(
    session: Session, series: Mapping[int, SeriesName], part: Sequence[LineCommit]
) -> dict[int, Values]:
    """By series with values, one for each commit: the median of its runs."""
    absent: list[float | None] = [None] * len(part)
    place_of = {run: place for place, one in enumerate(part) for run in one.runs}
    by_series: dict[int, list[float | None]] = {}
    again: dict[tuple[int, int], list[float]] = defaultdict(list)
    for number, run, value in repository.values(session, series, list(place_of)):
        place = place_of.get(run)
        if place is None:
            continue
        own = by_series.setdefault(number, absent.copy())
        first = own[place]
        if first is None:
            own[place] = value
        else:
            again[number, place] = [*(again[number, place] or [first]), value]
    for (number, place), found in again.items():
        by_series[number][place] = median(found)
    return {number: by_series[number] for number in sorted(by_series)}
