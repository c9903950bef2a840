# SPDX-License-Identifier: Apache-2.0
"""Who uses a stored entry: locks on a file beside it (flock(2)), shared by users, exclusive for who makes or
removes it.

The kernel lets go of them when a process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_held: dict[Path, int] = {}


def hold(lock: Path) -> None:
    """Keeps an entry from being removed until `release_all`, waiting for who makes or removes it."""
    if lock not in _held:
        _held[lock] = _acquire(lock, fcntl.LOCK_SH)


def release_all() -> None:
    """Lets go of everything this process holds."""
    while _held:
        os.close(_held.popitem()[1])


def release(lock: Path) -> None:
    """Lets go of one entry, if it is held."""
    if lock in _held:
        os.close(_held.pop(lock))


@contextmanager
def exclusive(lock: Path, waiting: Callable[[], None]) -> Iterator[int]:
    """The only one at an entry; its open lock file. `waiting` is called once if another has to end first."""
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
    """The open lock file of an entry nobody uses; None if somebody, this process included, does."""
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
    """False for a lock file that was removed together with its entry while this process waited for it."""
    try:
        return os.path.samestat(os.fstat(handle), lock.stat())
    except FileNotFoundError:
        return False
