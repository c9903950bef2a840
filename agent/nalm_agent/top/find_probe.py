# SPDX-License-Identifier: Apache-2.0
"""Finds the probe of a running process among the files that it has mapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nalm_agent.nf.probe import ProbeFile
from nalm_agent.nf.probe_layout import MAGIC


@dataclass(frozen=True)
class FoundProbe:
    """A probe that its process writes."""

    path: Path
    """Its file, as this process can open it."""
    nf: str
    lcores: int


def probes_of(pid: int, proc: Path) -> Iterator[FoundProbe]:
    """The probes of one process. Raises ProbeError for an unreadable one, such as another version's."""
    try:
        lines = (proc / str(pid) / "maps").read_text(errors="replace").splitlines()
        numbers = _namespace_pid(proc, pid)
    except OSError:
        return  # the process has ended, or belongs to another user
    shared = [fields for line in lines if len(fields := line.split(None, 5)) == 6 and fields[1].endswith("s")]
    for path in dict.fromkeys(fields[5] for fields in shared if fields[5].startswith("/")):
        inside = proc / str(pid) / "root" / path.lstrip("/")
        for place in (Path(path), inside):
            if (found := _probe_of(place, pid, numbers)) is not None:
                yield found
                break


def _namespace_pid(proc: Path, pid: int) -> int:
    """The process's number in its own PID namespace."""
    status = (proc / str(pid) / "status").read_text()
    return int(next((line.split()[-1] for line in status.splitlines() if line.startswith("NSpid:")), pid))


def _probe_of(path: Path, pid: int, own_number: int) -> FoundProbe | None:
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
        return FoundProbe(path, probe.nf, len(probe.states())) if probe.pid == own_number else None
    finally:
        probe.close()
