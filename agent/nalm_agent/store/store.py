# SPDX-License-Identifier: Apache-2.0
"""Content-addressed store: builds, sources and instruction counts, shared by all processes of a host.

One rename publishes an entry, whose contents are on the disk by then, so readers see it whole or not at all,
also after the host lost power. KEY.lock beside each directory contains the entry's size. A process that makes
the entry holds the lock, and others wait; processes that use the entry hold it too, and the entry is not
removed. Leftovers of killed processes are named `.new-*`, of documents `.nalm-*`; the next command removes
them. The least recently used entries are removed if the store exceeds its limit (`store_limit`).
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nalm_agent.runtime.errors import HostError
from nalm_agent.store import file_lock
from nalm_agent.store.atomic_file import put, remove_abandoned_files, sync_tree
from nalm_agent.store.disk_use import remove_written

NEW, GONE = ".new-", ".gone"
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


def address(*parts: object) -> str:
    """Digest of a sequence of JSON values: the key of the entry that they determine."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def quiet() -> None:
    """Reports nothing while waiting."""


@contextmanager
def disk_full_is_the_hosts(root: Path) -> Iterator[None]:
    """Raises HostError if the disk is full, which is no fault of a commit."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise disk_full(root) from error
        raise


def disk_full(root: Path) -> HostError:
    """The error for a full disk."""
    return HostError(
        f"the disk is full at {root}; partly written files were removed",
        hint="free some space (`nalm store --prune --limit 1G`), or set NALM_HOME to a larger disk",
    )


@dataclass(frozen=True)
class Store:
    root: Path

    def path(self, kind: str, key: str) -> Path:
        """The path of an entry, whether or not it exists."""
        folder = self.root / kind
        folder.mkdir(parents=True, exist_ok=True)
        return folder / key

    def directory(self, kind: str, key: str) -> Path | None:
        """A published directory; None if there is none. It stays until this process calls `release_all`."""
        path = self.path(kind, key)
        if not path.is_dir():
            return None
        file_lock.hold(_lock(path))
        if not path.is_dir():
            file_lock.release(_lock(path))
            return None
        os.utime(path)
        return path

    def make_directory(
        self,
        kind: str,
        key: str,
        fill: Callable[[Path], None],
        waiting: Callable[[], None] = quiet,
        *,
        again: bool = False,
    ) -> Path:
        """The directory of a key. `fill` makes it, in a temporary directory, if it does not exist.

        waiting: called while another process makes it. again: makes it even if it exists.
        Raises HostError if the disk is full.
        """
        path = self.path(kind, key)
        found = None if again else self.directory(kind, key)
        while found is None:
            with file_lock.exclusive(_lock(path), waiting) as lock:
                try:
                    if again or not path.is_dir():
                        self._fill(path, lock, fill)
                finally:
                    if not path.is_dir():
                        _lock(path).unlink(missing_ok=True)
            again = False
            found = self.directory(kind, key)
        return found

    def _fill(self, path: Path, lock: int, fill: Callable[[Path], None]) -> None:
        new = path.with_name(f"{NEW}{path.name}")
        with disk_full_is_the_hosts(self.root):
            remove_written(new)
            try:
                new.mkdir()
                fill(new)
                os.pwrite(lock, b"%-20d\n" % size_of(new), 0)
                sync_tree(new)
                _remove(path)
                new.rename(path)
            finally:
                remove_written(new)

    def remove_unused(self, kind: str, key: str) -> bool:
        """Removes a directory that no process uses. Returns False if one does."""
        path = self.path(kind, key)
        with file_lock.unused(_lock(path)) as lock:
            if lock is None:
                return False
            _remove(path)
            _lock(path).unlink(missing_ok=True)
            return True

    def discard(self, kind: str, key: str) -> None:
        """Removes a directory that this process no longer needs, unless another process uses it."""
        path = self.path(kind, key)
        file_lock.release(_lock(path))
        if path.is_dir():
            self.remove_unused(kind, key)

    def document(self, kind: str, key: str) -> Any | None:
        """A published JSON document; None if there is none."""
        path = self.path(kind, f"{key}.json")
        try:
            document = json.loads(path.read_bytes())
            os.utime(path)
        except FileNotFoundError:
            return None
        return document

    def put_document(self, kind: str, key: str, document: object) -> None:
        """Publishes a JSON document; the last of several writers wins. Raises HostError for a full disk."""
        with disk_full_is_the_hosts(self.root):
            put(self.path(kind, f"{key}.json"), json.dumps(document).encode(), mode=0o666)

    def remove_abandoned(self) -> None:
        """Removes partly written entries of killed processes."""
        for new in self.root.glob(f"*/{NEW}*"):
            path = new.with_name(new.name.removeprefix(NEW).removesuffix(GONE))
            with file_lock.unused(_lock(path)) as lock:
                if lock is not None:
                    remove_written(new)
                    if not path.is_dir():
                        _lock(path).unlink(missing_ok=True)
        for folder in self.root.glob("*/"):
            remove_abandoned_files(folder)


def size_of(directory: Path) -> int:
    """Bytes on disk of a directory's contents."""
    total = 0
    for folder, folders, files in os.walk(directory):
        for name in (*folders, *files):
            total += 512 * os.lstat(Path(folder, name)).st_blocks
    return total


def _lock(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _remove(path: Path) -> None:
    """Renames an entry and then removes it, so that a killed process leaves no partial entry."""
    gone = path.with_name(f"{NEW}{path.name}{GONE}")
    shutil.rmtree(gone, ignore_errors=True)
    if path.is_dir():
        path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
