# SPDX-License-Identifier: Apache-2.0
"""Atomic writing of files, also across a crash."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from nalm_agent.store.process_stamp import abandoned, stamp


def unfinished(path: Path) -> Path:
    """Where a file is written before it gets its name."""
    return path.with_name(f".{stamp()}")


def remove_abandoned_files(folder: Path) -> None:
    """Removes unfinished files of processes that were killed."""
    for path in abandoned(folder, "."):
        path.unlink(missing_ok=True)


def put(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Writes a file and its name durably. Raises OSError and then leaves no file."""
    new = unfinished(path)
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
    sync_names(path.parent)


def sync_names(folder: Path) -> None:
    """Makes the names in a directory durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Makes a directory's contents durable, with all else on its file system (syncfs(2)): file by file takes
    longer."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(descriptor) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(folder))
    finally:
        os.close(descriptor)
