# SPDX-License-Identifier: Apache-2.0
"""Finds the probe in what gdb debugs, and remembers how it stood at each stop."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import gdb

from .layout import Header, LayoutError, Snapshot, read_header, read_lcores

SYMBOL = "nalm_probe_header"
CORE = (
    "A core dump leaves shared files out unless the NF ran with bit 3 set in /proc/PID/coredump_filter "
    "(echo 0x3f), or without NALM_PROBE_FILE"
)


@dataclass
class Process:
    """One process or core dump."""

    pid: int
    at: int | None = None
    """Where the person said the probe is."""
    before: Snapshot | None = None
    """At the stop before this one."""
    now: Snapshot | None = None
    stopped: float | None = None
    pauses: list[float] = field(default_factory=list)
    """Seconds the debugger stood, stop by stop, while the TSC went on; 0 for a breakpoint passed over."""
    last: list[float] = field(default_factory=list)
    """Those since the stop before this one."""
    hits: dict[int, int] = field(default_factory=dict)
    """Of breakpoints, by number."""


_processes: dict[int, Process] = {}


def of_a_core() -> bool:
    """Whether a core dump is looked at, as far as gdb tells (11 and later)."""
    connection = getattr(gdb.selected_inferior(), "connection", None)
    return connection is not None and connection.type == "core"


def process() -> Process:
    """What is debugged now. Raises GdbError if nothing is."""
    inferior = gdb.selected_inferior()
    if not inferior.threads():
        raise gdb.GdbError("nalm: no process yet: run, attach PID, or core-file FILE first")
    known = _processes.get(inferior.num)
    if known is None or known.pid != inferior.pid:
        known = _processes[inferior.num] = Process(inferior.pid)
    return known


def read(at: int, size: int) -> bytes:
    """Memory of what is debugged. Raises GdbError."""
    try:
        return bytes(gdb.selected_inferior().read_memory(at, size))
    except gdb.MemoryError as error:
        why = CORE if of_a_core() else "Is the probe there? nalm probe EXPRESSION says where"
        raise gdb.GdbError(f"nalm: the probe's memory at {at:#x} cannot be read. {why}") from error


def place() -> int:
    """The probe's address. Raises GdbError."""
    given = process().at
    if given is not None:
        return given
    try:
        found = int(gdb.parse_and_eval(f"*(unsigned long *) &{SYMBOL}"))
    except gdb.error as error:
        raise gdb.GdbError(
            f"nalm: no symbol {SYMBOL}: the program has no probe, an older one, or is stripped. "
            "If it has one, say where: nalm probe EXPRESSION, such as nalm probe probe.header"
        ) from error
    if found == 0:
        raise gdb.GdbError("nalm: the probe is not open yet: go on past nalm_probe_open()")
    return found


def stranger() -> int | None:
    """Process of the probe, if a core dump is of another: gdb takes what it lacks from the file as it is."""
    found = header().pid
    return found if of_a_core() and found != gdb.selected_inferior().pid else None


def header() -> Header:
    """The probe's header. Raises GdbError."""
    try:
        return read_header(read, place())
    except LayoutError as error:
        raise gdb.GdbError(f"nalm: {error}") from error


def snapshot() -> Snapshot:
    """The counters as they stand. Raises GdbError."""
    return read_lcores(read, place(), header())


def use(expression: str) -> Header:
    """Takes the probe to be where an expression points. Raises GdbError."""
    one = process()
    try:
        value = gdb.parse_and_eval(expression)
        one.at = int(value.cast(gdb.lookup_type("unsigned long")))
    except gdb.error as error:
        raise gdb.GdbError(f"nalm: {expression} is no address here: {error}") from error
    try:
        return header()
    except gdb.GdbError:
        one.at = None
        raise


def on_stop(event: Any) -> None:
    """gdb has stopped it."""
    try:
        one, counters = process(), snapshot()
    except gdb.GdbError:
        return  # no probe, or not open yet
    one.before, one.now, one.stopped = one.now, counters, time.monotonic()
    passed = [0.0] * _passed_over(one, getattr(event, "breakpoints", []))
    one.pauses += passed
    one.last += passed


def _passed_over(one: Process, reported: list[Any]) -> int:
    """How often a breakpoint was hit and ignored since the last stop: each held the NF for a moment."""
    hits = {point.number: point.hit_count for point in [*gdb.breakpoints(), *reported]}
    gained: int = sum(count - one.hits.get(number, 0) for number, count in hits.items())
    one.hits = hits
    return max(0, gained - len(reported))


def on_continue(event: Any) -> None:
    """gdb lets it go on."""
    one = _processes.get(gdb.selected_inferior().num)
    if one is not None and one.stopped is not None:
        one.last = [time.monotonic() - one.stopped]
        one.pauses += one.last
        one.stopped = None
