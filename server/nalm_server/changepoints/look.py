# SPDX-License-Identifier: Apache-2.0
"""One look at the history of a scenario on a host class: reads only blocks that were not judged before."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from statistics import median
from typing import Any, TypedDict

from nalm_core.changepoints.blocks import Block, blocks
from nalm_core.changepoints.cuts import cuts
from nalm_core.changepoints.results import Kind
from nalm_core.changepoints.series_changes import Found as SeriesFound
from nalm_core.changepoints.series_changes import HostStep, Values, beyond_errors, chain_share, changes
from sqlalchemy.orm import Session

from nalm_server.changepoints import measured_line_repository as repository
from nalm_server.changepoints.measured_line import Line, LineCommit
from nalm_server.changepoints.measured_line_repository import SeriesName
from nalm_server.results.links.linked import Solution
from nalm_server.results.series.entry import CHAIN


@dataclass(frozen=True, slots=True)
class Found:
    """A change point, commits by number; `low` is the last that is certainly of the old level, `high` the
    first that is certainly of the new one."""

    series: int
    commit: int
    low: int
    high: int
    ratio: float
    probability: float
    p_value: float
    chain_share: float | None
    kind: Kind
    suspected: bool
    """Only the newest values show it."""


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
    judged: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    """Commits that were judged, by series."""
    found: list[Found] = field(default_factory=list)
    host_steps: list[HostStepFound] = field(default_factory=list)
    past: set[int] = field(default_factory=set)
    """Series that are searched for the first time, in a history that was searched before."""


def look(
    session: Session,
    line: Line,
    series: Mapping[int, SeriesName],
    known: Sequence[str],
    levels: Mapping[int, Solution],
) -> Looked:
    """Judges the blocks whose digest is not known. levels: of linked series, which other environments do not
    cut."""
    begins = cuts([one.measured for one in line.commits], line.environments)
    places = [one.at for one in begins]
    own = {number: name for number, name in series.items() if name.own}
    apart = {number: name for number, name in series.items() if number not in levels and not name.own}
    linked = {number: name for number, name in series.items() if number in levels}
    inside = [one.at for one in begins if one.kind != "environment"]
    parts = [
        _Part(apart, blocks(len(line.commits), places), "", {}),
        _Part(own, blocks(len(line.commits), places) if own else [], OWN, {}),
        _Part(linked, blocks(len(line.commits), inside) if linked else [], LINKED, levels),
    ]
    digests = [one.mark + _digest(line, block) for one in parts for block in one.blocks]
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
    if known and not any(one.startswith(OWN) for one in known):
        looked.past.update(own)
    for part in parts:
        of_part = [part.mark + _digest(line, block) for block in part.blocks]
        for number in _changed(of_part, known):
            _judge(session, line.commits, part, part.blocks[number], looked)
    return looked


LINKED = "linked "
"""Begins the digests of blocks of linked series."""
OWN = "own "
"""Begins the digests of blocks of own metrics."""


@dataclass(frozen=True)
class _Part:
    """Series that are cut at the same commits."""

    series: Mapping[int, SeriesName]
    blocks: Sequence[Block]
    mark: str
    levels: Mapping[int, Solution]


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


def _judge(session: Session, commits: Sequence[LineCommit], of: _Part, block: Block, looked: Looked) -> None:
    series, part = of.series, commits[block.start : block.end]
    by_series = {
        number: values
        for number, values in _values(session, series, part).items()
        if not (series[number].own and _reaches_zero(values))
    }
    numbers = list(by_series)
    for number in series:
        looked.judged[number].update(one.commit for one in commits[block.keep_from : block.keep_to])
    hosts = [one.measured.host for one in part]
    chains = {
        (name.metric, name.source): by_series[number]
        for number, name in series.items()
        if name.stage == CHAIN and number in by_series
    }
    for number, found in zip(numbers, _changes(by_series, part, hosts, of.levels), strict=True):
        name = series[number]
        for step in found.hosts:
            if _decides(block, step.index):
                looked.host_steps.append(_host_step(number, step, part[step.index].commit))
        suspected = [(one, True) for one in found.suspicions]
        for one, only_newest in [(one, False) for one in found.changes] + suspected:
            if not _decides(block, one.index):
                continue
            share = chain_share(one, by_series[number], chains.get((name.metric, name.source)))
            at, low, high = (part[n].commit for n in (one.index, max(one.low - 1, 0), one.high))
            place = number, at, low, high
            looked.found.append(
                Found(*place, one.ratio, one.probability, one.p_value, share, one.kind, suspected=only_newest)
            )


def _changes(
    by_series: Mapping[int, Values],
    part: Sequence[LineCommit],
    hosts: Sequence[int],
    levels: Mapping[int, Solution],
) -> list[SeriesFound]:
    """Of each series: on levels, where it has them, with the errors that its links give."""
    plain = [number for number in by_series if number not in levels]
    found = dict(zip(plain, changes([by_series[n] for n in plain], hosts), strict=True))
    for number in by_series.keys() - found.keys():
        found[number] = _on_levels(by_series[number], part, hosts, levels[number])
    return [found[number] for number in by_series]


def _on_levels(
    values: Values, part: Sequence[LineCommit], hosts: Sequence[int], solution: Solution
) -> SeriesFound:
    """As measured, if links do not join the commits of the block. Changes of single hosts are in no link:
    they are those of the values as measured."""
    shas = [one.sha for one in part]
    found = [
        solution.level(sha) if value is not None else None for sha, value in zip(shas, values, strict=True)
    ]
    several = len(set(hosts)) > 1
    joined = all(value is None or level is not None for value, level in zip(values, found, strict=True))
    as_measured = changes([values], hosts)[0] if several or not joined else SeriesFound([], [])
    if not joined:
        return as_measured
    levels = [None if level is None else exp(level[0]) for level in found]
    (on_levels,) = changes([levels], [hosts[0]] * len(hosts))
    kept, suspected = (
        beyond_errors(one, lambda a, b: solution.between(shas[a], shas[b]))
        for one in (on_levels.changes, on_levels.suspicions)
    )
    return SeriesFound(kept, as_measured.hosts, suspected)


def _reaches_zero(values: Values) -> bool:
    """True for values without ratios. A comparison judges a change from or to 0."""
    return any(one is not None and one <= 0 for one in values)


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
    for number, runs, values in repository.values(session, series, list(place_of)):
        own = absent.copy()
        for run, value in zip(runs, values, strict=True):
            place = place_of.get(run)
            if place is None:
                continue
            by_series[number] = own
            first = own[place]
            if first is None:
                own[place] = value
            else:
                again[number, place] = [*(again[number, place] or [first]), value]
    for (number, place), found in again.items():
        by_series[number][place] = median(found)
    return {number: by_series[number] for number in sorted(by_series)}
