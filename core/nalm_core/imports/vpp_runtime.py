# SPDX-License-Identifier: Apache-2.0
"""VPP's `show runtime`: a graph node is a stage.

Clocks are cycles per vector, so a node's cycles per visit; vectors over the packets that left or were
dropped is its visit rate; their product its CPP, which add up to the chain's. Packets are the rates out, drop
and punt times the time since `clear runtime`, to the four digits VPP prints. Several threads are summed. A
node without vectors did nothing for packets; input nodes' clocks include their empty polls, which nalm's own
CPP leaves out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from nalm_core.imports.figures import (
    CHAIN,
    Given,
    ImportedRun,
    ImportedValue,
    ImportFailedError,
    name_of,
    number,
    required,
)

TIME = re.compile(r"^Time\s+(\S+),\s")
RATES = re.compile(r"^\s*vector rates in\s+(\S+), out\s+(\S+), drop\s+(\S+), punt\s+(\S+)")
HEADER = re.compile(r"^\s*Name\s+State\s+Calls\s+Vectors\s+Suspends\s+(Clocks|Packet-Clocks)\s+Vectors/Call")
NODE = re.compile(r"^(\S+)\s+(\S.*?)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s*$")
OTHER = re.compile(r"^(Thread\s+\d+|-{5,})")


@dataclass(slots=True)
class _Sums:
    cycles: float = 0.0
    vectors: int = 0


def read(text: str, given: Given) -> list[ImportedRun]:
    """One run of all threads."""
    nodes: dict[str, _Sums] = defaultdict(_Sums)
    packets, seconds, table = 0.0, 0.0, False
    for at, line in enumerate(text.splitlines(), start=1):
        if match := TIME.match(line):
            seconds, table = number(match[1], "Time", line=at, column=match.start(1) + 1), False
        elif match := RATES.match(line):
            packets += seconds * sum(
                number(match[part], "a rate", line=at, column=match.start(part) + 1) for part in (2, 3, 4)
            )
        elif HEADER.match(line):
            table = True
        elif table and line.strip() and not OTHER.match(line):
            _add(nodes, line, at)
    if not nodes:
        raise ImportFailedError(
            "no table of nodes with vectors: is this the output of `show runtime` under load?"
        )
    if packets <= 0:
        raise ImportFailedError("no packet left or was dropped: `clear runtime`, send traffic, then show it")
    values = [value for name, sums in nodes.items() for value in _values(name, sums, packets)]
    chain = sum(sums.cycles for sums in nodes.values()) / packets
    return [
        ImportedRun(
            required(given.commit, "commit"),
            required(given.scenario, "scenario"),
            required(given.time, "time"),
            [ImportedValue(CHAIN, "cpp", chain), *values],
        )
    ]


def _add(nodes: dict[str, _Sums], line: str, at: int) -> None:
    match = NODE.match(line)
    if match is None:
        raise ImportFailedError(
            f"expected a node, state, calls, vectors, suspends, clocks, vectors/call; found {line.strip()!r}",
            line=at,
            column=1,
        )
    vectors = int(match[4])
    if vectors:
        sums = nodes[name_of(match[1])]
        sums.vectors += vectors
        sums.cycles += vectors * number(match[6], "Clocks", line=at, column=match.start(6) + 1)


def _values(name: str, sums: _Sums, packets: float) -> list[ImportedValue]:
    return [
        ImportedValue(name, "cpp", sums.cycles / packets),
        ImportedValue(name, "cycles_per_visit", sums.cycles / sums.vectors),
        ImportedValue(name, "visit_rate", sums.vectors / packets),
    ]
