# SPDX-License-Identifier: Apache-2.0
"""Names that contain their process, to distinguish leftovers of killed processes from files in use."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

STAMP = "nalm"
PATTERN = f"{STAMP}-*-*-*"


def stamp() -> str:
    """A new name of this process."""
    return f"{STAMP}-{os.getpid()}-{_start_ticks(os.getpid())}-{secrets.token_hex(4)}"


def is_abandoned(name: str) -> bool:
    """True for a stamped name whose process no longer runs."""
    parts = name.split("-")
    if len(parts) != 4 or parts[0] != STAMP or not parts[1].isdigit():
        return False
    return _start_ticks(int(parts[1])) != parts[2]


def abandoned(folder: Path, prefix: str = "") -> Iterator[Path]:
    """Entries of a folder, named by the prefix and a stamp, whose process no longer runs."""
    for path in folder.glob(f"{prefix}{PATTERN}"):
        if is_abandoned(path.name.removeprefix(prefix)):
            yield path


def _start_ticks(pid: int) -> str | None:
    """Start time of a process in clock ticks since boot (/proc/PID/stat field 22); None if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else fields[19]
