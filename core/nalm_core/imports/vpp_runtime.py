# SPDX-License-Identifier: Apache-2.0
"""VPP's `show runtime`: a graph node is a stage.

Clocks are cycles per vector, thus a node's cycles per visit. Vectors divided by the packets that left or were
dropped are its visit rate. The product is the node's CPP; these add up to the chain's. Packets are the rates
out, drop and punt, which VPP prints with five digits, multiplied by the time since `clear runtime`. Several
threads are summed. Nodes without vectors are left out. Clocks of input nodes include their empty polls, which
nalm's own CPP excludes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from nalm_core.imports.figures import (
    CHAIN,
    Given,
    ImportedRun,
    ImportedValue,
    ImportFailedError,
    integer,
    name_of,
    number,
    required,
)

THREAD = re.compile(r"^Thread\s+(?P<number>\d+)\s+(?P<name>\S+)(?:\s+\(lcore\s+(?P<lcore>\d+)\))?")
"""VPP names no lcore of a thread that is not bound to one."""
TIME = re.compile(r"^Time\s+(\S+),\s")
RATES = re.compile(r"^\s*vector rates in\s+(\S+), out\s+(\S+), drop\s+(\S+), punt\s+(\S+)")
HEADER = re.compile(r"^\s*Name\s+State\s+Calls\s+Vectors\s+Suspends\s+(Clocks|Packet-Clocks)\s+Vectors/Call")
LEAST_CELLS = 7
OTHER = re.compile(r"^(Thread\s+\d+|-{5,})")
INPUT_STATES = ("polling", "interrupt")
"""First words of the states of nodes that take packets in."""
ONLY_THREAD = "vpp_main"
SECONDS_OFF = 0.06
"""Largest error of VPP's own seconds, which are rounded to a tenth."""


@dataclass(slots=True)
class Node:
    """Figures of a graph node that packets visited: TSC cycles, packets, dispatches."""

    cycles: float = 0.0
    vectors: int = 0
    calls: int = 0
    takes_in: bool = False

    def add(self, other: Node) -> None:
        """Adds the same node of another thread."""
        self.cycles += other.cycles
        self.vectors += other.vectors
        self.calls += other.calls
        self.takes_in |= other.takes_in


@dataclass(slots=True)
class VppThread:
    """Figures of one thread since `clear runtime`: seconds, packets per second."""

    name: str = ONLY_THREAD
    lcore: int = 0
    """VPP's number of the thread if it is not bound to one."""
    seconds: float = 0.0
    taken_in: float = 0.0
    out: float = 0.0
    drop: float = 0.0
    punt: float = 0.0
    nodes: dict[str, Node] = field(default_factory=dict)

    @property
    def vectors_in(self) -> int:
        """Packets that the thread's input nodes took in."""
        return sum(node.vectors for node in self.nodes.values() if node.takes_in)

    @property
    def ended(self) -> float:
        """Packets per second that left, were dropped or punted."""
        return self.out + self.drop + self.punt


_RATES = ("taken_in", "out", "drop", "punt")


def vpp_threads(text: str) -> list[VppThread]:
    """The threads with nodes that packets visited. Raises ImportFailedError if there are none."""
    threads: list[VppThread] = []
    named, table = VppThread(), False
    for at, line in enumerate(text.splitlines(), start=1):
        if match := THREAD.match(line):
            place = "lcore" if match["lcore"] else "number"
            column = match.start(place) + 1
            named = VppThread(match["name"], integer(match[place], "a thread", line=at, column=column))
        elif match := TIME.match(line):
            seconds = number(match[1], "Time", line=at, column=match.start(1) + 1)
            threads.append(VppThread(named.name, named.lcore, seconds))
            table = False
        elif threads and (match := RATES.match(line)):
            for part, rate in enumerate(_RATES, start=1):
                column = match.start(part) + 1
                setattr(threads[-1], rate, number(match[part], "a rate", line=at, column=column))
        elif HEADER.match(line):
            table = True
        elif threads and table and line.strip() and not OTHER.match(line):
            _add(threads[-1].nodes, line, at)
    worked = [one for one in threads if one.nodes]
    if not worked:
        raise ImportFailedError(
            "no table of nodes with vectors: is this the output of `show runtime` under load?"
        )
    return worked


def seconds_of(threads: Sequence[VppThread]) -> float:
    """Seconds since `clear runtime`, the same for all threads.

    They are the packets of the thread that took in most, divided by their rate, which has five digits; if
    VPP's printed seconds differ by more than rounding, they are the printed ones.
    """
    most = max(threads, key=lambda one: one.vectors_in)
    exact = most.vectors_in / most.taken_in if most.taken_in > 0 else 0.0
    return exact if abs(exact - most.seconds) <= SECONDS_OFF else most.seconds


def nodes_of(threads: Iterable[VppThread]) -> dict[str, Node]:
    """Nodes by name, summed over threads."""
    nodes: dict[str, Node] = defaultdict(Node)
    for thread in threads:
        for name, node in thread.nodes.items():
            nodes[name].add(node)
    return dict(nodes)


def read(text: str, given: Given) -> list[ImportedRun]:
    """Reads one run of all threads."""
    threads = vpp_threads(text)
    packets = seconds_of(threads) * sum(one.ended for one in threads)
    if packets <= 0:
        raise ImportFailedError(
            "no packet left or was dropped: run `clear runtime`, send traffic, then run `show runtime`"
        )
    nodes = nodes_of(threads)
    values = [value for name, node in nodes.items() for value in _values(name, node, packets)]
    chain = sum(node.cycles for node in nodes.values()) / packets
    return [
        ImportedRun(
            required(given.commit, "commit"),
            required(given.scenario, "scenario"),
            required(given.time, "time"),
            [ImportedValue(CHAIN, "cpp", chain), *values],
        )
    ]


def _add(nodes: dict[str, Node], line: str, at: int) -> None:
    cells = line.split()
    # A state may have two words, so the columns after it are counted from the end.
    name, *state, calls, vectors, suspends, clocks, per_call = (
        cells if len(cells) >= LEAST_CELLS else [""] * 7
    )
    if not all(one.isdecimal() for one in (calls, vectors, suspends)):
        raise ImportFailedError(
            f"expected a node, state, calls, vectors, suspends, clocks, vectors/call; found {line.strip()!r}",
            line=at,
            column=1,
        )
    visits = integer(vectors, "Vectors", line=at, column=1)
    dispatches = integer(calls, "Calls", line=at, column=1)
    if visits:
        each = number(clocks, "Clocks", line=at, column=line.rindex(clocks, 0, line.rindex(per_call)) + 1)
        takes_in = " ".join(state).startswith(INPUT_STATES)
        one = Node(visits * each, visits, dispatches, takes_in)
        nodes.setdefault(name_of(name), Node()).add(one)


def _values(name: str, node: Node, packets: float) -> list[ImportedValue]:
    return [
        ImportedValue(name, "cpp", node.cycles / packets),
        ImportedValue(name, "cycles_per_visit", node.cycles / node.vectors),
        ImportedValue(name, "visit_rate", node.vectors / packets),
    ]
