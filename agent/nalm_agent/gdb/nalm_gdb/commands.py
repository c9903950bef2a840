# SPDX-License-Identifier: Apache-2.0
"""The commands: nalm stages, since, lcores, probe, help."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import gdb

from . import figures, inferior
from .layout import Snapshot

HELP = """nalm stages [--json]   cycles, packets and CPP of each stage since the NF started
nalm since [--json]    the same since the previous stop
nalm lcores [--json]   lcores since the NF started: CUR, CPP, and the function of each thread
nalm probe EXPRESSION  set the address of the probe's header, for a program without its symbol
nalm help              show this text

The TSC continues while the debugger has stopped the NF. A stage in which an lcore was
stopped shows "held" instead of CPP until that time is below 1 % of the stage's cycles.
The other stages are exact."""
HELD = (
    "held: the debugger stopped it while the TSC continued; the first stop and core dumps have no held stages"
)
NO_EVENTS = "IPP, eIPC missing: the NF reads no hardware events (NALM_PROBE_EVENTS, and a host with a PMU)"


class Nalm(gdb.Command):  # type: ignore[misc]
    """Shows what the NF's probe counted. nalm help lists the commands."""

    def __init__(self) -> None:
        super().__init__("nalm", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        raise gdb.GdbError(f'nalm: no command "{argument}"\n{HELP}' if argument else HELP)


class Help(gdb.Command):  # type: ignore[misc]
    """Lists nalm's commands."""

    def __init__(self) -> None:
        super().__init__("nalm help", gdb.COMMAND_STATUS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        print(HELP)


class Stages(gdb.Command):  # type: ignore[misc]
    """Shows cycles, packets and CPP of each stage since the NF started. --json: for programs."""

    def __init__(self) -> None:
        super().__init__("nalm stages", gdb.COMMAND_STATUS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        as_json = wants_json(argument)
        show_stages({}, inferior.process().pauses, as_json=as_json)


class Since(gdb.Command):  # type: ignore[misc]
    """Shows cycles, packets and CPP of each stage since the previous stop. --json: for programs."""

    def __init__(self) -> None:
        super().__init__("nalm since", gdb.COMMAND_STATUS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        as_json, process = wants_json(argument), inferior.process()
        inferior.header()
        if process.before is None:
            after = "a core dump has only one" if inferior.of_a_core() else "continue to the next"
            raise gdb.GdbError(f"nalm: this is the first stop with an open probe: {after}; or nalm stages")
        show_stages(process.before, process.last, as_json=as_json)


class Lcores(gdb.Command):  # type: ignore[misc]
    """Shows lcores since the NF started: CUR, CPP, and the function of each thread. --json: for programs."""

    def __init__(self) -> None:
        super().__init__("nalm lcores", gdb.COMMAND_STATUS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        as_json, header, now = wants_json(argument), inferior.header(), inferior.snapshot()
        pauses = inferior.process().pauses
        packets = figures.chain(header, {}, now, pauses)["packets"]
        threads = standing()
        rows = [
            {**figures.lcore(header, None, one, pauses, packets), "at": threads.get(one.tid)}
            for one in now.values()
        ]
        if as_json:
            print(json.dumps(rows))
            return
        cells = [
            [
                str(row["lcore"]),
                row["state"],
                count(row["packets"]),
                text(row["cur"], 2),
                cost(row),
                row["at"] or "-",
            ]
            for row in rows
        ]
        table(["lcore", "state", "packets", "CUR", "CPP", "thread"], cells, left=(1, 5))
        remarks(now, any(row["held"] for row in rows))


class Probe(gdb.Command):  # type: ignore[misc]
    """Sets the address of the probe's header: nalm probe EXPRESSION, such as nalm probe probe.header."""

    def __init__(self) -> None:
        super().__init__("nalm probe", gdb.COMMAND_STATUS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        if not argument:
            raise gdb.GdbError("nalm: expected nalm probe EXPRESSION, such as nalm probe probe.header")
        header = inferior.use(argument)
        print(f"the probe of {header.nf}, {len(header.stages)} stages")


def wants_json(argument: str) -> bool:
    """True for --json. Raises GdbError for any other argument."""
    if argument.strip() not in ("", "--json"):
        raise gdb.GdbError(f'nalm: unknown option "{argument}"; the only option is --json')
    return bool(argument.strip())


def show_stages(before: Snapshot, pauses: Sequence[float], *, as_json: bool) -> None:
    """Prints what was counted since `before`."""
    header, now = inferior.header(), inferior.snapshot()
    found = figures.chain(header, before, now, pauses)
    if as_json:
        print(json.dumps(found))
        return
    rows = []
    for one in found["stages"]:
        name = one["stage"] + (" (apart)" if one["apart"] else "")
        drops = ", ".join(f"{drop} {number}" for drop, number in one["drops"].items())
        visits = [count(one["packets"]), count(one["batches"])]
        rows.append(
            [name, *visits, count(one["cycles"]), cost(one), text(one["ipp"], 1), text(one["eipc"], 2), drops]
        )
    rows.append(
        [
            "chain",
            count(found["packets"]),
            "",
            "",
            *(text(found[name], 2 if name == "eipc" else 1) for name in CHAIN),
            "",
        ]
    )
    table(["stage", "packets", "batches", "cycles", "CPP", "IPP", "eIPC", "drops"], rows, left=(0, 7))
    remarks(now, any(one["held"] for one in found["stages"]))
    if found["ipp"] is None and found["packets"]:
        print(NO_EVENTS)


CHAIN = ("cpp", "ipp", "eipc")


def standing() -> dict[int, str]:
    """gdb's number of each thread and its current function, by the kernel's thread number."""
    thread, frame = gdb.selected_thread(), gdb.selected_frame()
    found = {}
    try:
        for one in gdb.selected_inferior().threads():
            one.switch()
            found[one.ptid[1]] = f"{one.num} in {_function(gdb.newest_frame())}"
    finally:
        thread.switch()
        frame.select()
    return found


def _function(frame: Any) -> str:
    """The function's name; in a library without symbols, the library's name."""
    library = gdb.solib_name(frame.pc()) or ""
    return frame.name() or f"?? {library.rpartition('/')[2]}".rstrip()


def remarks(now: Snapshot, held: bool) -> None:
    """Prints the remarks that the figures need."""
    torn = [str(one.lcore) for one in now.values() if one.torn]
    if (pid := inferior.stranger()) is not None:
        print(f"these figures are of process {pid}, from its probe file now: the core dump contains none")
    if torn:
        print(f"lcore {', '.join(torn)} stopped while it published: its last iteration is counted in part")
    if held:
        print(HELD)
    if any(one.condition and one.enabled for one in gdb.breakpoints()):
        print("a breakpoint has a condition: each time it is false, the stop counts as cycles of the NF")
    if not now:
        print("no lcore has claimed its counters yet")


def count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def text(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def cost(row: dict[str, Any]) -> str:
    return "held" if row["held"] else text(row["cpp"], 1)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int]) -> None:
    """Prints columns as wide as their widest cell. left: columns that are not numbers."""
    lines = [head, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    for line in lines:
        cells = [
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def register() -> None:
    """Registers the commands with gdb."""
    for command in (Nalm, Help, Stages, Since, Lcores, Probe):
        command()
    gdb.events.stop.connect(inferior.on_stop)
    gdb.events.cont.connect(inferior.on_continue)
