# SPDX-License-Identifier: Apache-2.0
"""Reads the output of `perf script` (perf-script(1)): samples with callers, and samples with source lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nalm_core.text.symbol_names import plain_name

from nalm_agent.counters.callgrind_parse import Chain, shown_path

CALLERS_FIELDS = "tid,time,ip,sym,dso"
LINES_FIELDS = "tid,time,ip,sym,dso,srcline"
KERNEL = "[kernel]"
CODE_LINE_BYTES = 64
"""Size of a line of an instruction cache of x86-64."""

_HEAD = re.compile(r"^\s*(\d+)\s+(\d+\.\d+):\s*(.*)$")
_FRAME = re.compile(r"^\s*+([0-9a-f]++) (?=.*\)$)(.*) \((.*)\)$")
_LINE = re.compile(r"^\s+(\S.*):(\d+)$")

Key = tuple[int, str]
"""Thread and time, which identify a sample in both listings."""


@dataclass(frozen=True)
class Sample:
    key: Key
    chain: Chain
    """The running function and its callers, innermost first."""
    object: str
    """File name of the function's program or library."""


def parse_callers(lines: Iterable[str]) -> list[Sample]:
    """Samples of `perf script -F CALLERS_FIELDS`. Samples without a frame, of ended threads, are left out."""
    samples = []
    for key, frames in _blocks(lines):
        if frames:
            chain = tuple(_function(*frame) for frame in frames)
            samples.append(Sample(key, chain, _object(frames[0][2])))
    return samples


Frame = tuple[str, str, str]
"""Address, symbol, object."""


def _blocks(lines: Iterable[str]) -> Iterator[tuple[Key, list[Frame]]]:
    key: Key | None = None
    frames: list[Frame] = []
    for line in lines:
        if head := _HEAD.match(line):
            if key is not None:
                yield key, frames
            key, frames = (int(head[1]), head[2]), []
        if frame := _FRAME.match(head[3] if head else line):
            frames.append((frame[1], frame[2], frame[3]))
    if key is not None:
        yield key, frames


def frames(lines: Iterable[str]) -> Iterator[tuple[Key, Frame]]:
    """The innermost frame of each sample that has one."""
    return ((key, found[0]) for key, found in _blocks(lines) if found)


def code_lines(samples: Iterable[tuple[Key, Frame]]) -> dict[Key, int]:
    """The number of each sample's cache line of code, by its address in its process."""
    return {key: int(address, 16) // CODE_LINE_BYTES for key, (address, _, _) in samples}


def _function(address: str, symbol: str, path: str) -> str:
    if symbol == "[unknown]":
        return f"{_object(path)}+0x{address.lstrip('0') or '0'}"
    return plain_name(symbol)


def _object(path: str) -> str:
    if path.startswith(("[kernel", "[guest.kernel")):
        return KERNEL
    return path.removesuffix(" (deleted)").rpartition("/")[2]


def parse_lines(lines: Iterable[str]) -> dict[Key, tuple[str, int]]:
    """Source file and line by sample, from `perf script -G -F LINES_FIELDS`. Other samples are left out."""
    found: dict[Key, tuple[str, int]] = {}
    key: Key | None = None
    for line in lines:
        if head := _HEAD.match(line):
            key = (int(head[1]), head[2])
        elif key is not None and (source := _LINE.match(line)) and int(source[2]) > 0:
            found[key] = (shown_path(source[1]), int(source[2]))
    return found
