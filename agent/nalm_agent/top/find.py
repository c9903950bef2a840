# SPDX-License-Identifier: Apache-2.0
"""Finds the NFs with a probe that run on this host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nalm_agent.errors import ProbeError, UsageError
from nalm_agent.probe import MAGIC, ProbeFile

PROC = Path("/proc")
_START = "start the NF with NALM_PROBE_FILE set to a path it may write, e.g. on /dev/shm"
_WITHOUT = "for an NF without the probe: --perf PID, or --telemetry SOCKET for one with DPDK"


@dataclass(frozen=True)
class FoundNf:
    """A running NF."""

    pid: int
    path: Path
    """Its probe file, as this process can open it."""
    nf: str
    lcores: int


def running(proc: Path = PROC) -> list[FoundNf]:
    """Every NF whose probe can be read here, by process number; not those that only look at a probe."""
    pids = sorted(int(entry.name) for entry in proc.iterdir() if entry.name.isdigit())
    found: list[FoundNf] = []
    for pid in pids:
        with suppress(ProbeError):
            found += _of_process(proc, pid)
    return found


def only(proc: Path = PROC) -> FoundNf:
    """The only NF on this host. Raises UsageError if there is none, or more than one."""
    found = running(proc)
    if not found:
        raise UsageError(
            "no NF with a readable probe runs on this host",
            hint=f"{_START}; {_WITHOUT}",
        )
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} NFs run on this host: say which",
            log="\n".join(f"--pid {one.pid}  {one.nf}, {one.lcores} lcore(s), {one.path}" for one in found),
            hint=f"nalm top --pid {found[0].pid}",
        )
    return found[0]


def of_process(pid: int, proc: Path = PROC) -> FoundNf:
    """The NF with this process number. Raises UsageError or ProbeError."""
    try:
        (proc / str(pid) / "maps").read_bytes()
    except OSError as error:
        raise UsageError(
            f"process {pid} cannot be looked at: {error.strerror}", hint="is it running, and yours?"
        ) from error
    for found in _of_process(proc, pid):
        return found
    raise ProbeError(
        f"process {pid} maps no probe file of its own",
        hint=f"{_START}; {_WITHOUT}",
    )


def _of_process(proc: Path, pid: int) -> Iterator[FoundNf]:
    try:
        lines = (proc / str(pid) / "maps").read_text(errors="replace").splitlines()
        numbers = _namespace_pid(proc, pid)
    except OSError:
        return  # it has just ended, or is another user's
    shared = [fields for line in lines if len(fields := line.split(None, 5)) == 6 and fields[1].endswith("s")]
    for path in dict.fromkeys(fields[5] for fields in shared if fields[5].startswith("/")):
        inside = proc / str(pid) / "root" / path.lstrip("/")
        for place in (Path(path), inside):
            if (found := _probe_of(place, pid, numbers)) is not None:
                yield found
                break


def _namespace_pid(proc: Path, pid: int) -> int:
    """The process's number as it knows it itself."""
    status = (proc / str(pid) / "status").read_text()
    return int(next((line.split()[-1] for line in status.splitlines() if line.startswith("NSpid:")), pid))


def _probe_of(path: Path, pid: int, own_number: int) -> FoundNf | None:
    """Raises ProbeError for a probe that cannot be read, as of another version."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            if int.from_bytes(file.read(4), "little") != MAGIC:
                return None
    except OSError:
        return None
    probe = ProbeFile(path)
    try:
        return FoundNf(pid, path, probe.nf, len(probe.states())) if probe.pid == own_number else None
    finally:
        probe.close()
