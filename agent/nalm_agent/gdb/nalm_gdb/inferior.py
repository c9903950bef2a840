# SPDX-License-Identifier: Apache-2.0
"""Finds the probe in the process that gdb debugs, and keeps its counters of each stop."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import gdb

from .layout import Header, LayoutError, Snapshot, read_header, read_lcores

SYMBOL = "nalm_probe_header"
CORE = (
    "A core dump omits shared files unless the NF ran with bit 3 set in /proc/PID/coredump_filter "
    "(echo 0x3f), or without NALM_PROBE_FILE"
)


@dataclass
class Process:
    """One process or core dump."""

    pid: int
    at: int | None = None
    """The probe's address, if the user set it."""
    before: Snapshot | None = None
    """At the previous stop."""
    now: Snapshot | None = None
    stopped: float | None = None
    pauses: list[float] = field(default_factory=list)
    """Seconds of each stop, while the TSC continued; 0 for a breakpoint that was ignored."""
    last: list[float] = field(default_factory=list)
    """Pauses since the previous stop."""
    hits: dict[int, int] = field(default_factory=dict)
    """Hits of breakpoints, by number."""


_processes: dict[int, Process] = {}


def of_a_core() -> bool:
    """True for a core dump; False with gdb before version 11, which does not report it."""
    connection = getattr(gdb.selected_inferior(), "connection", None)
    return connection is not None and connection.type == "core"


def process() -> Process:
    """The process or core dump that is debugged. Raises GdbError if there is none."""
    inferior = gdb.selected_inferior()
    if not inferior.threads():
        raise gdb.GdbError("nalm: there is no process: use run, attach PID or core-file FILE first")
    known = _processes.get(inferior.num)
    if known is None or known.pid != inferior.pid:
        known = _processes[inferior.num] = Process(inferior.pid)
    return known


def read(at: int, size: int) -> bytes:
    """Memory of the process or core dump. Raises GdbError."""
    try:
        return bytes(gdb.selected_inferior().read_memory(at, size))
    except gdb.MemoryError as error:
        why = CORE if of_a_core() else "If the probe is elsewhere, set its address by nalm probe EXPRESSION"
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
            "If it has one, set its address: nalm probe EXPRESSION, such as nalm probe probe.header"
        ) from error
    if found == 0:
        raise gdb.GdbError("nalm: the probe is not open yet: continue past nalm_probe_open()")
    return found


def stranger() -> int | None:
    """The probe's process if the core dump is of another one: gdb reads missing memory from the file now."""
    found = header().pid
    return found if of_a_core() and found != gdb.selected_inferior().pid else None


def header() -> Header:
    """The probe's header. Raises GdbError."""
    try:
        return read_header(read, place())
    except LayoutError as error:
        raise gdb.GdbError(f"nalm: {error}") from error


def snapshot() -> Snapshot:
    """The current counters. Raises GdbError."""
    return read_lcores(read, place(), header())


def use(expression: str) -> Header:
    """Sets the probe's address to the value of an expression. Raises GdbError."""
    one = process()
    try:
        value = gdb.parse_and_eval(expression)
        one.at = int(value.cast(gdb.lookup_type("unsigned long")))
    except gdb.error as error:
        raise gdb.GdbError(f"nalm: {expression} is not an address: {error}") from error
    try:
        return header()
    except gdb.GdbError:
        one.at = None
        raise


def on_stop(event: Any) -> None:
    """Keeps the counters of a stop."""
    try:
        one, counters = process(), snapshot()
    except gdb.GdbError:
        return  # no probe, or not open yet
    one.before, one.now, one.stopped = one.now, counters, time.monotonic()
    passed = [0.0] * _passed_over(one, getattr(event, "breakpoints", []))
    one.pauses += passed
    one.last += passed


def _passed_over(one: Process, reported: list[Any]) -> int:
    """Number of breakpoint hits that gdb ignored since the last stop: each stopped the NF for a moment."""
    hits = {point.number: point.hit_count for point in [*gdb.breakpoints(), *reported]}
    gained: int = sum(count - one.hits.get(number, 0) for number, count in hits.items())
    one.hits = hits
    return max(0, gained - len(reported))


def on_continue(event: Any) -> None:
    """Keeps the length of the stop that ends."""
    one = _processes.get(gdb.selected_inferior().num)
    if one is not None and one.stopped is not None:
        one.last = [time.monotonic() - one.stopped]
        one.pauses += one.last
        one.stopped = None
