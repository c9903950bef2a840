# SPDX-License-Identifier: Apache-2.0
"""Directories for the parts of a backup: as large as the database, so none may stay."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOCK = "lock"


@contextmanager
def scratch(folder: Path, prefix: str) -> Iterator[Path]:
    """A directory for this process. Removes those of processes that were killed: nobody holds their lock."""
    for left in folder.glob(f"{prefix}*"):
        with suppress(OSError), (left / LOCK).open("a") as lock:  # it is in use, or another user's
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left)
    with (
        tempfile.TemporaryDirectory(prefix=prefix, dir=folder) as work,
        (Path(work) / LOCK).open("a") as lock,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(work)
