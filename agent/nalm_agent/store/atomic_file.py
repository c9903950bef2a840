# SPDX-License-Identifier: Apache-2.0
"""Atomic writing of files, also across a crash."""

from __future__ import annotations

import os
from pathlib import Path

from nalm_agent.store.process_stamp import stamp


def put(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Writes a file and its name durably. Raises OSError and then leaves no file."""
    new = path.with_name(f".{stamp()}")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    sync(path.parent)


def sync(folder: Path) -> None:
    """Makes the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
