# SPDX-License-Identifier: Apache-2.0
"""Reports as files of a directory, which all processes of the server share."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from nalm_server.base.durable import private_file, sync_names
from nalm_server.db.reports.store import MissingError, StoreAwayError, Stored, path_of

PARTIAL, LEAVING = ".partial-", ".leaving-"
"""Prefixes of files that are being written, and of those that are being removed."""


class FileStore:
    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def place(self) -> str:
        return str(self._root)

    def put(self, digest: str, compressed: bytes) -> int | None:
        """Atomic; the file is on the disk before this returns."""
        target = self._root / path_of(digest)
        now = time.time_ns()
        with self._reachable():
            try:
                if target.read_bytes() == compressed:
                    os.utime(target, ns=(now, now))
                    return None
            except FileNotFoundError:
                self._make(target.parent)
            partial = target.with_name(f"{PARTIAL}{secrets.token_hex(8)}")
            try:
                _write(partial, compressed, now)
                partial.replace(target)
            finally:
                partial.unlink(missing_ok=True)
            sync_names(target.parent)
        return now

    def take_back(self, digest: str, stamp: int) -> None:
        self._remove(digest, lambda written: written == stamp)

    def get(self, digest: str) -> bytes:
        with self._reachable():
            try:
                return (self._root / path_of(digest)).read_bytes()
            except FileNotFoundError as error:
                raise MissingError(digest) from error

    def remove(self, digest: str, before: datetime) -> bool:
        limit = int(before.timestamp() * 1e9)
        return self._remove(digest, lambda written: written < limit)

    def _remove(self, digest: str, condition: Callable[[int], bool]) -> bool:
        """Renames the file, then checks it: a concurrent `put` finds no file and writes its own."""
        path = self._root / path_of(digest)
        aside = path.with_name(f"{LEAVING}{digest}-{secrets.token_hex(8)}")
        with self._reachable():
            try:
                if not condition(path.stat().st_mtime_ns):
                    return False
                path.rename(aside)
            except FileNotFoundError:
                return True
            if not condition(aside.stat().st_mtime_ns):
                aside.rename(path)
                return False
            aside.unlink()
        return True

    def listed(self) -> Iterator[Stored]:
        with self._reachable():
            for shard in sorted(self._root.glob("[0-9a-f][0-9a-f]")):
                with os.scandir(shard) as entries:
                    for entry in entries:
                        if not entry.name.startswith("."):
                            yield _stored(entry)

    def remove_leftovers(self, before: datetime) -> None:
        limit = before.timestamp()
        with self._reachable():
            for path in self._root.glob("[0-9a-f][0-9a-f]/.*"):
                with suppress(FileNotFoundError):
                    if path.stat().st_ctime < limit:
                        self._end(path)

    @staticmethod
    def _end(left: Path) -> None:
        """What was being removed may have been written again, which only the process that was killed knew."""
        report = left.with_name(left.name.removeprefix(LEAVING).partition("-")[0])
        if left.name.startswith(LEAVING) and not report.exists():
            left.rename(report)
        else:
            left.unlink()

    def _make(self, folder: Path) -> None:
        """Only the server's own account can read it."""
        if not folder.exists():
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            sync_names(self._root)

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreAwayError(
                f"The report store {self._root} cannot be used ({error.strerror}): make room there, or give "
                "the server's account the right to write."
            ) from error


def _stored(entry: os.DirEntry[str]) -> Stored:
    status = entry.stat()
    return Stored(entry.name, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))


def _write(path: Path, content: bytes, now: int) -> None:
    with private_file(path) as file:
        file.write(content)
        file.flush()
        os.utime(file.fileno(), ns=(now, now))
