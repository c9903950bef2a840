# SPDX-License-Identifier: Apache-2.0
"""Watches how much a running build writes, since the kernel has no quota for a directory."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from nalm_agent.runtime.errors import BuildError

DEEPEST = 100
"""Deepest nesting of directories that a build may make; deeper ones could not be read or removed."""
ENTRY_BYTES = 4096
"""Least size of an entry, since an empty file takes an inode."""
LOOK_SECONDS = 0.5
_SHARE_OF_TIME = 0.1
"""Largest share of the time that is spent on watching."""


class DiskUseError(BuildError):
    """A build wrote more than its limit."""


def written_bytes(directory: Path) -> int:
    """Bytes on disk of a directory and its contents. Entries may appear and vanish meanwhile.

    Raises DiskUseError for a directory that cannot be read.
    """
    total, waiting = 0, [(os.open(directory, os.O_RDONLY | os.O_DIRECTORY), 0)]
    try:
        while waiting:
            folder, depth = waiting.pop()
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        total += _size(entry)
                        if entry.is_dir(follow_symlinks=False):
                            waiting += _opened(folder, entry.name, depth + 1)
            finally:
                os.close(folder)
    finally:
        for folder, _ in waiting:
            os.close(folder)
    return total


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return max(ENTRY_BYTES, 512 * entry.stat(follow_symlinks=False).st_blocks)
    except FileNotFoundError:
        return 0


def _opened(folder: int, name: str, depth: int) -> list[tuple[int, int]]:
    if depth > DEEPEST:
        raise DiskUseError(f"the build nested more than {DEEPEST} directories")
    try:
        return [(os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder), depth)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except PermissionError as error:
        raise DiskUseError(
            f"the build made a directory that its owner may not read: {name}",
            hint="what it writes is counted while it runs; let it keep its directories readable",
        ) from error


@dataclass
class DiskWatch:
    """Checks repeatedly whether directories have grown by more than a limit."""

    directories: tuple[Path, ...]
    limit_bytes: int
    setting: str
    """Name of the limit's setting."""
    _before: int = field(init=False)
    _next: float = 0.0

    def __post_init__(self) -> None:
        self._before = self._now()

    def look(self) -> None:
        """Raises DiskUseError if the limit is exceeded. Does nothing if the last check was a moment ago."""
        begin = time.monotonic()
        if begin < self._next:
            return
        self.settle()
        took = time.monotonic() - begin
        self._next = begin + max(LOOK_SECONDS, took / _SHARE_OF_TIME)

    def settle(self) -> None:
        """Checks at once, including what was written since the last check."""
        grown = self._now() - self._before
        if grown > self.limit_bytes:
            raise DiskUseError(
                f"the build wrote more than {self.limit_bytes >> 20} MB",
                hint=f"{self.setting} of this host sets that limit, for all that a build writes together",
            )

    def _now(self) -> int:
        return sum(map(written_bytes, self.directories))


def remove_written(directory: Path) -> None:
    """Removes a build's files at any depth, by rm(1), since shutil.rmtree has a limit."""
    subprocess.run(["rm", "-rf", "--", str(directory)], check=False, stderr=subprocess.DEVNULL)
