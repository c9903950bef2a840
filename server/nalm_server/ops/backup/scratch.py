# SPDX-License-Identifier: Apache-2.0
"""Directories for the parts of a backup: as large as the database, so none may stay."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

LOCK = "lock"


@contextmanager
def scratch(folder: Path, prefix: str) -> Iterator[Path]:
    """A directory for this process. Removes those of processes that were killed: nobody holds their lock."""
    for left in folder.glob(f"{prefix}*"):
        with suppress(OSError), (left / LOCK).open("a") as lock:  # it is in use, or another user's
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left)
    work, held = _made(folder, prefix)
    with held:
        try:
            yield work
        finally:
            # Under its lock. One who cleans may open it again meanwhile, and then removes the rest.
            shutil.rmtree(work, ignore_errors=True)


def _made(folder: Path, prefix: str) -> tuple[Path, IO[str]]:
    """A new directory with its lock, held. Until it is held, one who cleans takes the directory for that of a
    killed process, and removes it: then there is another one."""
    while True:
        work = Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
        with suppress(FileNotFoundError):
            lock = (work / LOCK).open("a")
            fcntl.flock(lock, fcntl.LOCK_EX)
            if _is_at(lock, work / LOCK):
                return work, lock
            lock.close()


def _is_at(lock: IO[str], path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(lock.fileno()), path.stat())
    return False
