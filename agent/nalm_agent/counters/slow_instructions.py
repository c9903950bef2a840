# SPDX-License-Identifier: Apache-2.0
"""Samples at slow instructions: those that wait for earlier ones (fences, cpuid, reads of the time stamp
counter, atomic operations), divisions, and loads that wait for a narrower store.

Interrupts occur between instructions, so a sample is at the slow instruction or shortly after it. x86-64
only.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from capstone import CS_ARCH_X86, CS_MODE_64, Cs
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from nalm_agent.artifacts.elf_image import FUNCTION, symbols_of
from nalm_agent.counters.blocked_loads import BLOCKED, blocked_loads
from nalm_agent.counters.perf_script_parse import Frame, Key

FIELDS = "tid,time,ip,sym,symoff,dso"
BEHIND = 2
"""Number of instructions by which a sample may follow the slow one."""
_WAITS = frozenset(("rdtsc", "rdtscp", "rdpmc", "lfence", "mfence", "sfence", "cpuid", "serialize", "pause"))
_DIVIDES = re.compile(r"i?div$|v?(?:div|sqrt)[ps][sdh]$|f(?:i?div|sqrt)")
_PLACE = re.compile(r"^(.*)\+0x([0-9a-f]+)$")


@dataclass(frozen=True)
class _Function:
    """Offsets of instructions, and the names of the slow ones by their index in `offsets`."""

    offsets: tuple[int, ...]
    slow: Mapping[int, str]

    def at(self, offset: int) -> str | None:
        if offset not in self.offsets:
            return None
        place = self.offsets.index(offset)
        return next(
            (self.slow[one] for one in range(place, place - BEHIND - 1, -1) if one in self.slow), None
        )


def slow_instructions(samples: Iterable[tuple[Key, Frame]]) -> dict[Key, str] | None:
    """The slow instruction of each sample that is at one, from the frames of `perf script -G -F FIELDS`.

    None if no sampled program could be read.
    """
    found: dict[Key, str] = {}
    programs: dict[str, _Program | None] = {}
    readable = False
    for key, frame in samples:
        place = _PLACE.match(frame[1])
        if place is None or not frame[2].startswith("/"):
            continue
        if frame[2] not in programs:
            programs[frame[2]] = _read_program(frame[2])
        program = programs[frame[2]]
        if program is None:
            continue
        readable = True
        function = program.function(place[1])
        name = function.at(int(place[2], 16)) if function else None
        if name is not None:
            found[key] = name
    return found if readable else None


class _Program:
    """Code of an ELF file by function name; names of several functions are left out."""

    def __init__(self, path: Path) -> None:
        self._known: dict[str, _Function | None] = {}
        with path.open("rb") as file:
            elf = ELFFile(file)
            if elf["e_machine"] != "EM_X86_64" or elf.elfclass != 64:
                raise ValueError(f"{path} is not for x86-64")
            places: dict[str, set[tuple[int, int]]] = {}
            for table in elf.iter_sections():
                if isinstance(table, SymbolTableSection):
                    for symbol in symbols_of(elf, table):
                        if symbol.kind == FUNCTION and symbol.size:
                            places.setdefault(symbol.name, set()).add((symbol.start, symbol.size))
            sections = [
                (one["sh_addr"], one["sh_size"], one.data())
                for one in elf.iter_sections()
                if one["sh_flags"] & 4 and one["sh_type"] == "SHT_PROGBITS"
            ]
        self._sections = sections
        self._places = {name: next(iter(at)) for name, at in places.items() if len(at) == 1}

    def function(self, name: str) -> _Function | None:
        if name not in self._known:
            place = self._places.get(name)
            code = None if place is None else _inside(self._sections, *place)
            self._known[name] = None if code is None else _read(code)
        return self._known[name]


def _inside(sections: Iterable[tuple[int, int, bytes]], start: int, size: int) -> bytes | None:
    """A function's code."""
    for begin, length, data in sections:
        if begin <= start < begin + length:
            return data[start - begin :][:size]
    return None


def _read_program(path: str) -> _Program | None:
    try:
        return _Program(Path(path))
    except (OSError, ValueError, ELFError, struct.error):
        return None


def _read(code: bytes) -> _Function:
    reader = Cs(CS_ARCH_X86, CS_MODE_64)
    reader.skipdata = reader.detail = True
    read = list(reader.disasm(code, 0))
    slow = dict.fromkeys(blocked_loads(reader, read), BLOCKED)
    for place, one in enumerate(read):
        atomic = one.mnemonic.startswith("lock ") or (one.mnemonic == "xchg" and "[" in one.op_str)
        if one.mnemonic in _WAITS or atomic or _DIVIDES.match(one.mnemonic):
            slow[place] = one.mnemonic
    return _Function(tuple(one.address for one in read), slow)
