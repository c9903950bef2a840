# SPDX-License-Identifier: Apache-2.0
"""The files that a running NF has mapped, thus loaded (proc(5), /proc/PID/maps)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_DELETED = " (deleted)"
_FIELDS_BEFORE_PATH = 5
_IN_MEMORY = ("/memfd:", "/dev/", "/SYSV")


def processes_of(leader: int) -> set[int]:
    """The leader of a session, all processes of the session, and all their descendants."""
    parents, found = dict[int, int](), {leader}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            # after the name in brackets, which may contain anything: state, parent, group, session
            stat = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()
            parents[int(process.name)] = int(stat[1])
            if int(stat[3]) == leader:
                found.add(int(process.name))
    grown = True
    while grown:
        below = {pid for pid, parent in parents.items() if parent in found} - found
        found |= below
        grown = bool(below)
    return found


def mapped_files(processes: Iterable[int], own: Path) -> frozenset[Path] | None:
    """Files that processes have mapped; a process that has ended has none.

    own: the directory that they write to. None if they run code from there, or from a file that was removed
    or never was on a disk: its origin is unknown.
    """
    found = set[Path]()
    for pid in processes:
        try:
            lines = Path(f"/proc/{pid}/maps").read_text(errors="surrogateescape").splitlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        except OSError:
            return None
        for line in lines:
            fields = line.split(maxsplit=_FIELDS_BEFORE_PATH)
            if len(fields) <= _FIELDS_BEFORE_PATH or not fields[-1].startswith("/"):
                continue
            name, is_code = fields[-1], "x" in fields[1]
            gone, path = name.endswith(_DELETED), Path(name)
            if is_code and (gone or name.startswith(_IN_MEMORY) or path.is_relative_to(own)):
                return None
            if not gone:
                found.add(path)
    return frozenset(found)
