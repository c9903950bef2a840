# SPDX-License-Identifier: Apache-2.0
"""Recognises cost that moved between functions: inlined, outlined, renamed, split, merged, moved code."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from nalm_core.functions.costs import CountedSide, Line
from nalm_core.functions.flow import moved
from nalm_core.functions.model import Evidence, Key

Links = dict[tuple[Key, Key], float]
"""From a function that lost cost to one that gained some; the most that can have moved."""


@dataclass(frozen=True)
class Move:
    """Instructions per packet that moved between two functions, with the strongest evidence."""

    source: Key
    target: Key
    ipp: float
    evidence: Evidence


def moves(base: CountedSide, head: CountedSide, changes: Mapping[Key, float]) -> list[Move]:
    """The cost that moved between functions, as much as the evidence allows.

    changes: own instructions per packet that each function gained. First, source lines that base executed in
    one function and head in another. Of what functions lost or gained beside these, as much as possible is
    moved by a rename, then by a call between the two or through functions that only one side has, then
    between the stages of one function.
    """
    by_lines = _by_lines(base, head)
    rest = dict(changes)
    for (source, target), size in by_lines.items():
        if source in rest and target in rest:
            rest[source] += size
            rest[target] -= size
    losses = {key: -change for key, change in rest.items() if change < 0}
    gains = {key: change for key, change in rest.items() if change > 0}
    tiers: dict[Evidence, Links] = {
        "renamed": _by_rename(base, head, losses, gains),
        "calls": _by_calls(base, head, losses, gains),
        "stage": {(a, b): inf for a in losses for b in gains if a[1] == b[1]},
    }
    flow = moved(losses, gains, list(tiers.values()))
    found = {link: Move(*link, size, "lines") for link, size in by_lines.items() if rest.keys() >= {*link}}
    for link, size in flow.items():
        known = found.get(link) or Move(*link, 0.0, _evidence(tiers, link))
        found[link] = replace(known, ipp=known.ipp + size)
    return sorted(found.values(), key=lambda one: (-one.ipp, str(one)))


def _evidence(tiers: Mapping[Evidence, Links], link: tuple[Key, Key]) -> Evidence:
    return next(evidence for evidence, links in tiers.items() if link in links)


def _by_lines(base: CountedSide, head: CountedSide) -> Links:
    """From functions that execute a line less often than before to those that execute it more often."""
    lost, gained = (defaultdict[Line, list[tuple[float, Key]]](list) for _ in range(2))
    for key in dict.fromkeys([*base.lines, *head.lines]):
        old, new = base.lines.get(key, {}), head.lines.get(key, {})
        for line in dict.fromkeys([*old, *new]):
            change = new.get(line, 0.0) - old.get(line, 0.0)
            if change:
                (gained if change > 0 else lost)[line].append((abs(change), key))
    links: Links = defaultdict(float)
    for line in lost.keys() & gained.keys():
        _pair_up(sorted(lost[line], key=str), sorted(gained[line], key=str), links)
    return dict(links)


def _pair_up(losers: list[tuple[float, Key]], gainers: list[tuple[float, Key]], links: Links) -> None:
    """Distributes one line's loss over its gain."""
    while losers and gainers:
        (less, source), (more, target) = losers.pop(), gainers.pop()
        size = min(less, more)
        links[source, target] += size
        if less > size:
            losers.append((less - size, source))
        if more > size:
            gainers.append((more - size, target))


def _by_rename(
    base: CountedSide, head: CountedSide, losses: Mapping[Key, float], gains: Mapping[Key, float]
) -> Links:
    """From functions that are gone to new ones of the same stage with a common caller."""
    gone = [key for key in losses if key not in head.functions]
    new = [key for key in gains if key not in base.functions]
    before, after = _callers(base), _callers(head)
    return {
        (a, b): inf
        for a in gone
        for b in new
        if a[0] == b[0] and {name for _, name in before[a]} & {name for _, name in after[b]}
    }


def _callers(side: CountedSide) -> Mapping[Key, set[Key]]:
    found: dict[Key, set[Key]] = defaultdict(set)
    for caller, callees in side.callees.items():
        for callee in callees:
            found[callee].add(caller)
    return found


def _by_calls(
    base: CountedSide, head: CountedSide, losses: Mapping[Key, float], gains: Mapping[Key, float]
) -> Links:
    near: dict[Key, set[Key]] = defaultdict(set)
    for side in (base, head):
        for caller, callees in side.callees.items():
            for callee in callees:
                near[caller].add(callee)
                near[callee].add(caller)
    one_sided = base.functions.keys() ^ head.functions.keys()
    return {
        (source, target): inf
        for source in losses
        for target in _reached(source, near, one_sided)
        if target in gains
    }


def _reached(source: Key, near: Mapping[Key, set[Key]], through: set[Key]) -> Iterator[Key]:
    """Callers and callees, also by way of functions that only one side has."""
    seen, waiting = {source}, deque([source])
    while waiting:
        for key in sorted(near.get(waiting.popleft(), ()), key=str):
            if key not in seen:
                seen.add(key)
                yield key
                if key in through:
                    waiting.append(key)


def groups(found: Sequence[Move]) -> list[set[Key]]:
    """Functions between which cost moved, directly or by way of others."""
    near: dict[Key, set[Key]] = defaultdict(set)
    for one in found:
        near[one.source].add(one.target)
        near[one.target].add(one.source)
    result: list[set[Key]] = []
    seen: set[Key] = set()
    for start in near:
        if start not in seen:
            group, waiting = {start}, [start]
            while waiting:
                for key in near[waiting.pop()] - group:
                    group.add(key)
                    waiting.append(key)
            seen |= group
            result.append(group)
    return result
