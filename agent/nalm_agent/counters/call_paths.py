# SPDX-License-Identifier: Apache-2.0
"""A callgrind profile in the form of a run report: the costliest call paths and source lines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from nalm_core.report.call_tree import COVERED, MOST_LINES, MOST_PATHS, OTHERS, CallNode, FunctionLines

from nalm_agent.counters.callgrind_parse import Chain, Profile, shown_path, stage_of

Key = TypeVar("Key")
_UNNAMED, _BARE = re.compile(r".+\+(0x[0-9a-f]+)"), re.compile("0x[0-9a-f]+")
Under = tuple[str, str | None, str]
"""Function, stage, file."""


@dataclass
class _Path:
    name: str
    own: int = 0
    stage: str | None = None
    callees: dict[tuple[str, str | None], _Path] = field(default_factory=dict)


def call_nodes(profile: Profile, functions: Mapping[str, Sequence[str]]) -> list[CallNode]:
    """All instructions of a profile by call path, in an order that repeats. functions: as for `by_stage`."""
    own = _with_callers_named(profile.own)
    root, kept = _Path(""), _costliest(own, MOST_PATHS)
    for chain, cost in kept.items():
        _walk(root, chain, functions).own += cost
    for chain in sorted(own.keys() - kept.keys()):
        _put_aside(root, chain, own[chain], stage_of(chain, functions))
    return list(_nodes(root, profile.places))


def function_lines(profile: Profile, functions: Mapping[str, Sequence[str]]) -> list[FunctionLines]:
    """Instructions by source line, for each function under each stage."""
    stages = {chain: stage_of(chain, functions) for chain in profile.own}
    costs: dict[tuple[Under, int], int] = defaultdict(int)
    for (chain, file, line), cost in profile.lines.items():
        under = (chain[0], stages[chain], shown_path(file))
        costs[under, line] += cost
    found: dict[Under, dict[int, int]] = defaultdict(dict)
    for under, line in sorted(_costliest(costs, MOST_LINES), key=lambda one: (one[0][0], str(one))):
        found[under][line] = costs[under, line]
    return [
        FunctionLines(function=name, stage=stage, file=file, lines=dict(sorted(lines.items())))
        for (name, stage, file), lines in found.items()
    ]


def _with_callers_named(own: Mapping[Chain, int]) -> Mapping[Chain, int]:
    """Gives a function without a symbol one name: callgrind writes `object+0xaddress`, but the bare address
    for a caller. An address at which several objects have a function keeps its name."""
    names: dict[int, set[str]] = defaultdict(set)
    for chain in own:
        if found := _UNNAMED.fullmatch(chain[0]):
            names[int(found[1], 16)].add(chain[0])
    known = {address: min(found) for address, found in names.items() if len(found) == 1}
    renamed: dict[Chain, int] = defaultdict(int)
    for chain, cost in own.items():
        renamed[tuple(known.get(_address(name), name) for name in chain)] += cost
    return renamed


def _address(name: str) -> int:
    """The value of a bare address; -1 for a name."""
    return int(name, 16) if _BARE.fullmatch(name) else -1


def _costliest(costs: Mapping[Key, int], most: int) -> dict[Key, int]:
    """The largest costs that together are COVERED of the sum, at most `most`, the largest first."""
    kept, left = dict[Key, int](), COVERED * sum(costs.values())
    for key, cost in sorted(costs.items(), key=lambda item: (-item[1], str(item[0])))[:most]:
        if left <= 0:
            break
        kept[key] = cost
        left -= cost
    return kept


def _walk(root: _Path, chain: Chain, functions: Mapping[str, Sequence[str]]) -> _Path:
    """The path's last frame. Adds missing callers."""
    at = root
    for name in reversed(chain):
        if (name, None) not in at.callees:
            at.callees[name, None] = _Path(name, stage=stage_of((name,), functions) or at.stage)
        at = at.callees[name, None]
    return at


def _put_aside(root: _Path, chain: Chain, cost: int, stage: str | None) -> None:
    """Adds a cost below the nearest named caller."""
    at = root
    for name in reversed(chain):
        if (name, None) not in at.callees:
            break
        at = at.callees[name, None]
    if cost:
        at.callees.setdefault((OTHERS, stage), _Path(OTHERS, stage=stage)).own += cost


def _nodes(root: _Path, places: Mapping[str, tuple[str, int]]) -> Iterator[CallNode]:
    waiting: list[tuple[_Path, int | None]] = [(path, None) for path in root.callees.values()]
    for place, (path, parent) in enumerate(waiting):
        file, line = places.get(path.name, ("", None))
        known = shown_path(file) if file else None
        yield CallNode(
            name=path.name,
            parent=parent,
            stage=path.stage,
            own=path.own,
            file=known,
            line=line if known else None,
        )
        waiting += [(callee, place) for callee in path.callees.values()]
