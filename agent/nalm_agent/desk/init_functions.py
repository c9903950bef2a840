# SPDX-License-Identifier: Apache-2.0
"""Finds C functions of a repository that take packets, the likeliest stages first, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

MOST = 8
"""Number of functions that are named."""
_TYPES = frozenset({"rte_mbuf", "u_char", "uint8_t"})
# All quantifiers are possessive (++, *+), so that no text makes a search backtrack.
_DEFINITION = re.compile(r"\b([A-Za-z_]\w*+)\s*+\(([^;{}()]*+)\)\s*+\{")
_WORD = re.compile(r"\w++")
_NO_FUNCTIONS = frozenset({"if", "for", "while", "switch"})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FAST = _words(
    "process handle forward fwd rx tx burst lookup classify filter parse match encap decap nat route rewrite "
    "input output pkt packet pkts packets bulk"
)
_SLOW = _words(
    "test dump print show log debug trace init setup config configure create destroy free alloc is has "
    "enabled validate register parser help usage"
)
_ELSEWHERE = frozenset({"test", "tests", "doc", "docs", "example", "examples", "bench", "fuzz"})


@dataclass(frozen=True)
class Source:
    """A source file: its path in the repository and its text."""

    path: PurePath
    text: str


class PacketFunctions:
    """Functions that take packets, rated by how likely they are stages."""

    def __init__(self) -> None:
        self._points: dict[str, int] = {}

    def add(self, source: Source) -> None:
        """Adds the functions that this file defines."""
        around = _of_the_file(source)
        for name, arguments in _definitions(source.text):
            points = around + _of_the_arguments(arguments) + _of_the_name(name)
            self._points[name] = max(points, self._points.get(name, points))

    def likeliest(self) -> list[str]:
        """Names of at most MOST functions, the likeliest first."""
        return sorted(self._points, key=lambda name: -self._points[name])[:MOST]


def _definitions(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Names and tokenized arguments of functions with a pointer to a packet among their arguments."""
    for found in _DEFINITION.finditer(text):
        pointers = [one for one in found[2].split(",") if "*" in one or "[" in one]
        arguments = [[*_WORD.findall(one), *("*" for sign in one if sign in "*[")] for one in pointers]
        arguments = [words for words in arguments if not _TYPES.isdisjoint(words)]
        if arguments and found[1] not in _NO_FUNCTIONS:
            yield found[1], arguments


def _of_the_file(source: Source) -> int:
    """Rates the file: files that receive packets hold the fast path; tests and examples do not."""
    elsewhere = not _ELSEWHERE.isdisjoint(part.lower() for part in source.path.parts[:-1])
    return (3 if "rte_eth_rx_burst" in source.text else 0) - (4 if elsewhere else 0)


def _of_the_arguments(arguments: list[list[str]]) -> int:
    """Rates the arguments: a batch of packets, then one packet, then bytes."""
    mbufs = [words for words in arguments if "rte_mbuf" in words]
    if not mbufs:
        return 0
    return 4 if any(words.count("*") > 1 for words in mbufs) else 2


def _of_the_name(name: str) -> int:
    words = set(name.lower().split("_"))
    return (2 if words & _FAST else 0) - (4 if words & _SLOW else 0)
