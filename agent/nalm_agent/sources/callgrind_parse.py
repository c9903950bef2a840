# SPDX-License-Identifier: Apache-2.0
"""Reads callgrind's output (valgrind manual, "Callgrind Format Specification") made with --separate-callers.

There a function's name carries its callers, innermost first: `memcpy'nat_process'main`. So the stage a
function ran under is in its name, and no inclusive cost has to be shared out between callers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from nalm_core.report import FunctionCount

from nalm_agent.errors import SourceError

EVENT = "Ir"
TOP_FUNCTIONS = 12
_NAME = re.compile(r"^(c?fn)=(?:\((\d+)\))?\s*(.*)$")
_CLONE = re.compile(r"\.(constprop|isra|part|cold|lto_priv|localalias)(\.\d+)*")
_POSITION = re.compile(r"^(?:[+-]?\d+|\*|0x[0-9a-fA-F]+)\s")

Chain = tuple[str, ...]
"""A function and its callers, innermost first, without compilers' clone suffixes and recursion marks."""


@dataclass(frozen=True)
class Profile:
    """Instructions of each function's own, by call chain, and how often each chain was called."""

    own: Mapping[Chain, int]
    calls: Mapping[Chain, int]

    @property
    def total(self) -> int:
        return sum(self.own.values())


@dataclass(frozen=True)
class StageCounts:
    stages: dict[str, int]
    unattributed: int
    functions: dict[str, list[FunctionCount]]


def parse(text: Iterable[str]) -> Profile:
    """Parses one callgrind output file, line by line. Raises SourceError if it has no instruction counts."""
    names: dict[str, Chain] = {}
    own: dict[Chain, int] = defaultdict(int)
    calls: dict[Chain, int] = defaultdict(int)
    event: int | None = None
    function: Chain | None = None
    callee: Chain | None = None
    inclusive_follows = False
    for line in text:
        if line.startswith("events:"):
            events = line.split()[1:]
            event = events.index(EVENT) if EVENT in events else None
        elif found := _NAME.match(line):
            chain = _named(names, found[2], found[3])
            if found[1] == "fn":
                function = chain
            else:
                callee = chain
        elif line.startswith("calls="):
            if callee is not None:
                calls[callee] += int(line[6:].split()[0])
            inclusive_follows = True
        elif _POSITION.match(line):
            if inclusive_follows:
                inclusive_follows = False
            elif function is not None and event is not None:
                costs = line.split()[1:]
                own[function] += int(costs[event]) if event < len(costs) else 0
    if event is None:
        raise SourceError("callgrind's output has no instruction counts (event Ir)")
    return Profile(dict(own), dict(calls))


def _named(names: dict[str, Chain], number: str | None, text: str) -> Chain:
    """Resolves name compression: `(3) name` defines, `(3)` alone refers."""
    if text or number is None:
        chain = tuple(_CLONE.sub("", part) for part in text.strip().split("'") if not part.isdigit())
        if number is not None:
            names[number] = chain
        return chain
    return names[number]


def by_stage(profile: Profile, functions: Mapping[str, Sequence[str]]) -> StageCounts:
    """Shares a profile out among stages.

    functions: per stage the patterns of its C functions. Instructions belong to the stage of the innermost
    caller that is a stage's function; those outside every stage are unattributed. A stage none of whose
    functions ran (they may be inlined) is missing, not 0.
    """
    stages = dict.fromkeys(functions, 0)
    own: dict[str, dict[str, int]] = {stage: defaultdict(int) for stage in functions}
    calls: dict[str, dict[str, int]] = {stage: defaultdict(int) for stage in functions}
    unattributed = 0
    for chain, instructions in profile.own.items():
        stage = _stage_of(chain, functions)
        if stage is None:
            unattributed += instructions
        else:
            stages[stage] += instructions
            own[stage][chain[0]] += instructions
    for chain, count in profile.calls.items():
        stage = _stage_of(chain, functions)
        if stage is not None:
            calls[stage][chain[0]] += count
    seen = [stage for stage in functions if own[stage]]
    tables = {stage: _dearest(own[stage], calls[stage]) for stage in seen}
    return StageCounts({stage: stages[stage] for stage in seen}, unattributed, tables)


def _stage_of(chain: Chain, functions: Mapping[str, Sequence[str]]) -> str | None:
    for name in chain:
        for stage, patterns in functions.items():
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                return stage
    return None


def _dearest(own: Mapping[str, int], calls: Mapping[str, int]) -> list[FunctionCount]:
    ordered = sorted(own.items(), key=lambda item: (-item[1], item[0]))
    return [
        FunctionCount(name=name, instructions=instructions, calls=calls.get(name, 0))
        for name, instructions in ordered[:TOP_FUNCTIONS]
        if instructions
    ]
