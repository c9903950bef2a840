# SPDX-License-Identifier: Apache-2.0
"""Recognises cost that moved between functions: inlined, outlined, renamed, split, merged, moved code."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from nalm_core.functions.costs import CountedSide, Line
from nalm_core.functions.flow import moved
from nalm_core.functions.model import Evidence, Key

Links = dict[tuple[Key, Key], float]
"""From a function that lost cost to one that gained some; the most that can have moved."""


@dataclass(frozen=True)
class Move:
    """Instructions per packet that moved between two functions."""

    source: Key
    target: Key
    ipp: float
    evidence: Evidence


def moves(base: CountedSide, head: CountedSide, changes: Mapping[Key, float]) -> list[Move]:
    """The cost that moved between functions, as much as the evidence allows.

    changes: own instructions per packet that each function gained. Lines that both executed are the strongest
    evidence and are used first, then a rename, then a call between the two or through functions that only one
    side has, then one name under two stages.
    """
    losses = {key: -change for key, change in changes.items() if change < 0}
    gains = {key: change for key, change in changes.items() if change > 0}
    if not losses or not gains:
        return []
    tiers: dict[Evidence, Links] = {
        "lines": _by_lines(base, head),
        "renamed": _by_rename(base, head, losses, gains),
        "calls": _by_calls(base, head, losses, gains),
        "stage": {(a, b): inf for a in losses for b in gains if a[1] == b[1]},
    }
    flow = moved(losses, gains, list(tiers.values()))
    return [
        Move(source, target, size, _evidence(tiers, source, target))
        for (source, target), size in sorted(flow.items(), key=lambda one: (-one[1], str(one[0])))
    ]


def _evidence(tiers: Mapping[Evidence, Links], source: Key, target: Key) -> Evidence:
    return next(evidence for evidence, links in tiers.items() if (source, target) in links)


def _by_lines(base: CountedSide, head: CountedSide) -> Links:
    """From functions that no longer execute a line, or less often, to those that now do; also by way of a
    function that gave some lines and took others."""
    lost, gained = (defaultdict[Line, list[tuple[Key, float]]](list) for _ in range(2))
    for key in dict.fromkeys([*base.lines, *head.lines]):
        old, new = base.lines.get(key, {}), head.lines.get(key, {})
        for line in dict.fromkeys([*old, *new]):
            change = new.get(line, 0.0) - old.get(line, 0.0)
            if change:
                (gained if change > 0 else lost)[line].append((key, abs(change)))
    links: Links = defaultdict(float)
    for line, losers in lost.items():
        for source, less in losers:
            for target, more in gained.get(line, ()):
                links[source, target] += min(less, more)
    return links


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
