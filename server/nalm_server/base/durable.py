# SPDX-License-Identifier: Apache-2.0
"""What must survive a loss of power: a file's new name does only when its directory is on the disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def private_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file that only its owner can read, to write. Its content is on the disk after the context; its
    name is after `sync_names`."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def sync_names(folder: Path) -> None:
    """Flushes a directory's entries to the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
