# SPDX-License-Identifier: Apache-2.0
"""Finds the NFs that run on this host: by their probe, and where they have none by DPDK's telemetry."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nalm_core.text.amounts import amount
from nalm_core.text.plain_text import plain_line

from nalm_agent.nf.find_telemetry import TelemetrySockets
from nalm_agent.runtime.errors import ProbeError, UsageError
from nalm_agent.top.find_probe import probes_of
from nalm_agent.top.process_name import name_of

PROC = Path("/proc")
_START = "start the NF with NALM_PROBE_FILE set to a writable path, such as one on /dev/shm"
_OTHERS = "only root sees NFs of other users"


@dataclass(frozen=True)
class FoundNf:
    """A running NF."""

    pid: int
    source: Literal["probe", "telemetry"]
    path: Path
    """Its probe file, or telemetry socket, as this process can open it."""
    nf: str
    lcores: int | None
    """None if DPDK's telemetry does not provide it."""

    def __str__(self) -> str:
        lcores = f", {amount(self.lcores, 'lcore')}" if self.lcores is not None else ""
        return f"{self.nf}{lcores}, {self.source} {plain_line(str(self.path))}"


def running(proc: Path = PROC) -> list[FoundNf]:
    """All readable NFs of this host, by process number, without processes that only read a probe."""
    sockets = TelemetrySockets(proc)
    return [found for pid in _pids(proc) for found in _any(pid, proc, sockets)]


def only(proc: Path = PROC) -> FoundNf:
    """The only NF with a probe on this host, or else the only DPDK program with telemetry.

    Raises UsageError if there is none, or more than one.
    """
    found = running(proc)
    if not found:
        raise UsageError(
            "no NF with a readable probe runs on this host, and no DPDK program with telemetry",
            hint=f"{_START}; any process: nalm top --perf PID; {_OTHERS}",
        )
    return _one([one for one in found if one.source == "probe"] or found, "on this host")


def of_process(pid: int, proc: Path = PROC) -> FoundNf:
    """The NF with this process number. Raises UsageError or ProbeError."""
    try:
        (proc / str(pid) / "maps").read_bytes()
    except OSError as error:
        raise UsageError(
            f"process {pid} cannot be looked at: {error.strerror}", hint="is it running, and yours?"
        ) from error
    if found := _by_probe(pid, proc) or _by_telemetry(pid, proc, TelemetrySockets(proc)):
        return found[0]
    raise ProbeError(
        f"process {pid} maps no probe file of its own, and has no DPDK telemetry",
        hint=f"{_START}; without the probe: nalm top --perf {pid}",
    )


def of_prefix(prefix: str, proc: Path = PROC) -> FoundNf:
    """The DPDK program with this --file-prefix, by its telemetry. Raises UsageError."""
    sockets = TelemetrySockets(proc)
    every = [found for pid in _pids(proc) for found in _by_telemetry(pid, proc, sockets)]
    found = [one for one in every if one.path.parent.name == prefix]
    if not found:
        raise UsageError(
            f"no DPDK program with the file prefix {prefix} and telemetry runs on this host",
            log=_listed(every),
            hint=f"is it running, without --no-telemetry? DPDK's own prefix is rte. {_OTHERS}",
        )
    return _one(found, f"with the file prefix {prefix}")


def _pids(proc: Path) -> list[int]:
    return sorted(int(entry.name) for entry in proc.iterdir() if entry.name.isdigit())


def _one(found: Sequence[FoundNf], where: str) -> FoundNf:
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} NFs run {where}: say which",
            log=_listed(found),
            hint=f"nalm top --pid {found[0].pid}",
        )
    return found[0]


def _listed(found: Sequence[FoundNf]) -> str:
    return "\n".join(f"--pid {one.pid}  {one}" for one in found)


def _any(pid: int, proc: Path, sockets: TelemetrySockets) -> list[FoundNf]:
    with suppress(ProbeError):
        if found := _by_probe(pid, proc):
            return found
    return _by_telemetry(pid, proc, sockets)


def _by_probe(pid: int, proc: Path) -> list[FoundNf]:
    return [FoundNf(pid, "probe", one.path, one.nf, one.lcores) for one in probes_of(pid, proc)]


def _by_telemetry(pid: int, proc: Path, sockets: TelemetrySockets) -> list[FoundNf]:
    path = sockets.of_process(pid)
    return [FoundNf(pid, "telemetry", path, name_of(pid, proc) or "", None)] if path is not None else []
