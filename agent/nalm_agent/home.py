# SPDX-License-Identifier: Apache-2.0
"""Where the agent keeps things, and how what a killed run left behind is removed.

$NALM_HOME/
  store/     builds and instruction counts by content address
  build/     canonical directories the builds run in (one path per project, so equal code gives equal bytes)
  ccache/    compiler cache
  mirrors/   clones of the projects an agent serves
  work/      one directory per running command, stamped with its process
/dev/shm/nalm-*   probe files of running NFs, stamped alike (memory: no write-back in the middle of a turn)
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import platformdirs

SHARED_MEMORY = Path("/dev/shm")
STAMP = "nalm"


def _start_ticks(pid: int) -> str | None:
    """Start time of a process in clock ticks since boot (/proc/PID/stat field 22); None if it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else fields[19]


def _stamp() -> str:
    return f"{STAMP}-{os.getpid()}-{_start_ticks(os.getpid())}-{secrets.token_hex(4)}"


def _is_abandoned(name: str) -> bool:
    """True for a stamped name whose process no longer runs."""
    parts = name.split("-")
    if len(parts) != 4 or parts[0] != STAMP or not parts[1].isdigit():
        return False
    return _start_ticks(int(parts[1])) != parts[2]


@dataclass(frozen=True)
class WorkDir:
    """What one running command may write to; gone when it ends."""

    disk: Path
    memory: Path
    """On /dev/shm where there is one, else the same as `disk`."""

    def fresh(self, name: str) -> Path:
        """A new empty directory on disk."""
        path = self.disk / f"{name}-{secrets.token_hex(4)}"
        path.mkdir()
        return path


@dataclass(frozen=True)
class Home:
    root: Path

    @staticmethod
    def default() -> Home:
        given = os.environ.get("NALM_HOME")
        root = Path(given) if given else Path(platformdirs.user_cache_dir("nalm"))
        return Home(root.absolute())

    def folder(self, name: str) -> Path:
        path = self.root / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    @contextmanager
    def work(self) -> Iterator[WorkDir]:
        """A directory for this command; leftovers of killed commands are removed first."""
        self.remove_abandoned()
        stamp = _stamp()
        disk = self.folder("work") / stamp
        disk.mkdir()
        memory = disk
        if os.access(SHARED_MEMORY, os.W_OK):
            memory = SHARED_MEMORY / stamp
            memory.mkdir(mode=0o700)
        try:
            yield WorkDir(disk, memory)
        finally:
            shutil.rmtree(disk, ignore_errors=True)
            shutil.rmtree(memory, ignore_errors=True)

    def remove_abandoned(self) -> list[Path]:
        """Removes work directories and probe files of commands that no longer run."""
        removed = []
        for parent in (self.folder("work"), SHARED_MEMORY):
            for path in parent.glob(f"{STAMP}-*-*-*") if parent.is_dir() else ():
                if _is_abandoned(path.name):
                    shutil.rmtree(path, ignore_errors=True)
                    removed.append(path)
        return removed
