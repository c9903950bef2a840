# SPDX-License-Identifier: Apache-2.0
"""Reads callgrind's output (valgrind manual, "Callgrind Format Specification") made with --separate-callers.

In it a function's name includes its callers, innermost first: `memcpy'nat_process'main`. The name therefore
determines the stage, and no inclusive cost has to be divided among callers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TypeVar

from nalm_core.report.run_report import FunctionCount
from nalm_core.text.symbol_names import plain_name

from nalm_agent.runtime.errors import SourceError

EVENT = "Ir"
TOP_FUNCTIONS = 40
_NAME = re.compile(r"^(c?fn|c?ob|c?f[lie])=(?:\((\d+)\))?[ \t]*+(.*)")
_POSITION = re.compile(r"^([+-]?\d+|\*|0x[0-9a-fA-F]+)\s")

Chain = tuple[str, ...]
"""A function and its callers, innermost first, without compilers' clone suffixes and recursion marks."""
Key = TypeVar("Key")


@dataclass(frozen=True)
class Profile:
    """Each function's own instructions by call chain, and the number of calls of each chain."""

    own: Mapping[Chain, int]
    calls: Mapping[Chain, int]
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """File and first line of functions with debug information."""
    events: Mapping[str, Mapping[Chain, int]] = field(default_factory=dict)
    """Every event that callgrind counted, by callgrind's name, including instructions (`Ir`)."""
    lines: Mapping[tuple[Chain, str, int], int] = field(default_factory=dict)
    """Instructions by call chain, file and line, of code with debug information."""

    @property
    def total(self) -> int:
        return sum(self.own.values())

    def runs(self, name: str) -> bool:
        """True if a function whose name begins so was executed."""
        return any(chain[0].startswith(name) for chain in self.own if chain)


@dataclass(frozen=True)
class StageCounts:
    stages: dict[str, int]
    unattributed: int
    functions: dict[str, list[FunctionCount]]
    """The costliest of each stage."""
    executed: dict[str, list[str]]
    """Names of all functions that were executed under each stage."""
    executed_outside: list[str]
    """Those that were executed outside every stage."""


def parse(text: Iterable[str]) -> Profile:
    """Parses one callgrind output file, line by line.

    Raises SourceError if it has no instruction counts, or is cut short: valgrind does not report a full disk.
    """
    reader = _Reader()
    for line in text:
        reader.take(line)
    if EVENT not in reader.events:
        raise SourceError(f"callgrind's output has no instruction counts (event {EVENT})")
    if not reader.whole:
        raise SourceError("callgrind's output has no end", hint="free some disk space where NALM_HOME is")
    own = {event: dict(reader.own[event]) for event in reader.events}
    return Profile(own[EVENT], dict(reader.calls), reader.places, own, dict(reader.lines))


def together(profiles: Sequence[Profile]) -> Profile:
    """The sum of several threads' profiles."""
    events: dict[str, dict[Chain, int]] = defaultdict(lambda: defaultdict(int))
    calls, lines = defaultdict[Chain, int](int), defaultdict[tuple[Chain, str, int], int](int)
    places: dict[str, tuple[str, int]] = {}
    for one in profiles:
        for event, costs in one.events.items():
            _add(events[event], costs)
        _add(calls, one.calls)
        _add(lines, one.lines)
        for name, place in one.places.items():
            known = places.get(name, place)
            places[name] = min(known, place) if known[0] == place[0] else known
    summed = {event: dict(costs) for event, costs in events.items()}
    return Profile(summed.get(EVENT, {}), dict(calls), places, summed, dict(lines))


def _add(to: dict[Key, int], costs: Mapping[Key, int]) -> None:
    for key, cost in costs.items():
        to[key] += cost


class _Reader:
    """The state of reading: each line depends on the lines before it."""

    def __init__(self) -> None:
        self.own: dict[str, dict[Chain, int]] = defaultdict(lambda: defaultdict(int))
        self.calls: dict[Chain, int] = defaultdict(int)
        self.places: dict[str, tuple[str, int]] = {}
        self.lines: dict[tuple[Chain, str, int], int] = defaultdict(int)
        self.events: list[str] = []
        self._files: dict[str, str] = {}
        self._file = self._home = ""
        self._line = 0
        self._names: dict[str, Chain] = {}
        self._objects: dict[str, str] = {}
        self._object = self._callee_object = ""
        self._function: Chain = ()
        self._callee: Chain = ()
        self._inclusive_follows = False
        self.whole = False
        """Whether the last line was read."""

    def take(self, line: str) -> None:
        """Reads the next line."""
        if position := _POSITION.match(line):
            self._move(position[1])
            self._take_cost(line)
        elif found := _NAME.match(line):
            self._take_name(found[1], found[2], found[3].rstrip())
        elif line.startswith("calls="):
            self.calls[self._callee] += int(line[6:].split(maxsplit=1)[0])
            self._inclusive_follows = True
        elif line.startswith("events:"):
            self.events = line.split()[1:]
        elif line.startswith("totals:"):
            self.whole = True

    def _move(self, position: str) -> None:
        """Sets the source line: absolute, or relative to the previous cost's line."""
        if position[0] in "+-":
            self._line += int(position)
        elif position != "*":
            self._line = int(position, 0)

    def _take_cost(self, line: str) -> None:
        if self._inclusive_follows:  # counted as the callee's own
            self._inclusive_follows = False
            return
        for event, cost in zip(self.events, line.split()[1:], strict=False):  # trailing zeros are left out
            self.own[event][self._function] += int(cost)
            if event == EVENT and self._line and self._file:
                self.lines[self._function, self._file, self._line] += int(cost)
        if self._line and self._file == self._home and self._function:
            self._place(self._function[0])

    def _place(self, name: str) -> None:
        """A function begins at the first line of its own file with a cost; inlined code has other files."""
        known = self.places.get(name)
        if known is None or (known[0] == self._home and self._line < known[1]):
            self.places[name] = (self._home, self._line)

    def _take_name(self, kind: str, number: str | None, text: str) -> None:
        if kind in ("ob", "cob"):
            self._callee_object = self._named_object(number, text)
            if kind == "ob":
                self._object = self._callee_object
        elif kind in ("cfl", "cfi", "cfe"):
            self._named_file(number, text)
        elif kind in ("fl", "fi", "fe"):
            self._file = self._named_file(number, text)
        elif kind == "fn":
            self._function = self._named(number, text, self._object)
            self._home = self._file
        else:
            self._callee = self._named(number, text, self._callee_object)
            self._callee_object = self._object

    def _named_file(self, number: str | None, text: str) -> str:
        """Path of a source file, with the same name compression; empty if it is unknown."""
        if not text and number is not None:
            return self._files.get(number, "")
        path = "" if text == "???" else text
        if number is not None:
            self._files[number] = path
        return path

    def _named_object(self, number: str | None, text: str) -> str:
        """File name of an object, with the same name compression as functions."""
        if not text and number is not None:
            return self._objects.get(number, "")
        name = text.rpartition("/")[2]
        if number is not None:
            self._objects[number] = name
        return name

    def _named(self, number: str | None, text: str, object_name: str) -> Chain:
        """Resolves name compression: `(3) name` defines, `(3)` alone refers.

        A function without a symbol has the name of its library and its address there.
        """
        if not text and number is not None:
            return self._names[number]
        chain = tuple(plain_name(part) for part in text.split("'") if not part.isdigit())
        if object_name and chain and chain[0].startswith("0x"):
            chain = (f"{object_name}+{int(chain[0], 16):#x}", *chain[1:])
        if number is not None:
            self._names[number] = chain
        return chain


def by_stage(profile: Profile, functions: Mapping[str, Sequence[str]]) -> StageCounts:
    """Divides a profile among stages.

    functions: the patterns of each stage's functions; one of C++ or Rust has its name with or without what
    contains it. Instructions belong to the stage of the innermost
    caller that is a stage's function; those outside every stage are unattributed. A stage is missing, not 0,
    if none of its functions ran (they may be inlined).
    """
    stages = dict.fromkeys(functions, 0)
    own: dict[str, dict[str, int]] = {stage: defaultdict(int) for stage in functions}
    calls: dict[str, dict[str, int]] = {stage: defaultdict(int) for stage in functions}
    unattributed, outside = 0, set[str]()
    for chain, instructions in profile.own.items():
        stage = stage_of(chain, functions)
        if stage is None:
            unattributed += instructions
            outside.update(chain[:1])
        else:
            stages[stage] += instructions
            own[stage][chain[0]] += instructions
    for chain, count in profile.calls.items():
        stage = stage_of(chain, functions)
        if stage is not None:
            calls[stage][chain[0]] += count
    seen = [stage for stage in functions if own[stage]]
    tables = {stage: _costliest(own[stage], calls[stage], profile.places) for stage in seen}
    return StageCounts(
        {stage: stages[stage] for stage in seen},
        unattributed,
        tables,
        {stage: sorted(own[stage]) for stage in seen},
        sorted(outside),
    )


def stage_of(chain: Chain, functions: Mapping[str, Sequence[str]]) -> str | None:
    """The stage of the innermost function in a call chain that is a stage's function; None without one."""
    for name in chain:
        names = {name, name.rpartition("::")[2]}
        for stage, patterns in functions.items():
            if any(fnmatchcase(one, pattern) for one in names for pattern in patterns):
                return stage
    return None


def _costliest(
    own: Mapping[str, int], calls: Mapping[str, int], places: Mapping[str, tuple[str, int]]
) -> list[FunctionCount]:
    ordered = sorted(own.items(), key=lambda item: (-item[1], item[0]))
    return [
        _function(name, instructions, calls.get(name, 0), places.get(name))
        for name, instructions in ordered[:TOP_FUNCTIONS]
        if instructions
    ]


def _function(name: str, instructions: int, calls: int, place: tuple[str, int] | None) -> FunctionCount:
    file, line = place if place and place[0] else (None, None)
    file = shown_path(file) if file else None
    return FunctionCount(name=name, instructions=instructions, calls=calls, file=file, line=line)


def shown_path(path: str) -> str:
    """A source file's path in its repository: builds that map paths write `./../src/a.c`."""
    while path.startswith(("./", "../")):
        path = path.partition("/")[2]
    return path


def events_by_stage(
    profile: Profile, functions: Mapping[str, Sequence[str]]
) -> tuple[dict[str, dict[str, int]], dict[str, int]]:
    """Every event of a profile per stage, and those of no stage. functions: as for `by_stage`."""
    shares = {event: by_stage(Profile(own, {}), functions) for event, own in profile.events.items()}
    seen = shares[EVENT].stages
    stages = {stage: {event: share.stages.get(stage, 0) for event, share in shares.items()} for stage in seen}
    return stages, {event: share.unattributed for event, share in shares.items()}
