# SPDX-License-Identifier: Apache-2.0
"""Locks on stored entries (flock(2) on a file beside each): shared for use, exclusive for making and
removing.

The kernel releases them at the end of a process, however it ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_held: dict[Path, int] = {}


def hold(lock: Path) -> None:
    """Protects an entry from removal until `release_all`. Waits while another process makes or removes it."""
    if lock not in _held:
        _held[lock] = _acquire(lock, fcntl.LOCK_SH)


def release_all() -> None:
    """Releases all locks of this process."""
    while _held:
        os.close(_held.popitem()[1])


def release(lock: Path) -> None:
    """Releases one entry, if this process holds it."""
    if lock in _held:
        os.close(_held.pop(lock))


@contextmanager
def exclusive(lock: Path, waiting: Callable[[], None]) -> Iterator[int]:
    """Locks an entry exclusively and yields its open lock file. Calls `waiting` once if it must wait."""
    release(lock)
    handle = _try(lock, fcntl.LOCK_EX)
    if handle is None:
        waiting()
        handle = _acquire(lock, fcntl.LOCK_EX)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def unused(lock: Path) -> Iterator[int | None]:
    """Locks an unused entry and yields its open lock file; None if a process, also this one, uses it."""
    handle = _try(lock, fcntl.LOCK_EX)
    try:
        yield handle
    finally:
        if handle is not None:
            os.close(handle)


def _acquire(lock: Path, kind: int) -> int:
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, kind)
        except BaseException:
            os.close(handle)
            raise
        if _is_current(handle, lock):
            return handle
        os.close(handle)


def _try(lock: Path, kind: int) -> int | None:
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
        if _is_current(handle, lock):
            return handle
        os.close(handle)


def _is_current(handle: int, lock: Path) -> bool:
    """False if the lock file was removed with its entry while this process waited for it."""
    try:
        return os.path.samestat(os.fstat(handle), lock.stat())
    except FileNotFoundError:
        return False
