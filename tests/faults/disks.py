# SPDX-License-Identifier: Apache-2.0
"""Small file systems that a test fills."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

PIECE = bytes(1 << 20)

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="a file system of its own is mounted: as root")


@contextmanager
def small_disk(folder: Path, mebibytes: int) -> Iterator[Path]:
    folder.mkdir(mode=0o755)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "none", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """A file that leaves no byte free; removing it frees the space."""
    filler = disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(PIECE)
    with suppress(OSError), filler.open("ab", buffering=0) as file:
        while True:
            file.write(b"x")
    return filler
