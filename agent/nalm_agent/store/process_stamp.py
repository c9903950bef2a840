# SPDX-License-Identifier: Apache-2.0
"""Names that contain their process, to distinguish leftovers of killed processes from files in use.

Folders may be shared with other containers and hosts, whose processes this one does not see: a name has the
boot and the PID namespace of its process, too.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from enum import Enum, auto
from functools import cache
from pathlib import Path

STAMP = "nalm"
PATTERN = f"{STAMP}-*-*-*"
STAMPED = r"nalm-\d+-\d+-(?:[0-9a-f]+\.[0-9a-f]+-)?[0-9a-f]+"
"""A regular expression for a stamp; those of before have no place."""


OLD_SECONDS = 48 * 3600.0
"""Age from which entries of unseen processes are leftovers: no command runs so long."""


class Owner(Enum):
    """What is known of the process of a stamped name."""

    RUNS = auto()
    ENDED = auto()
    UNSEEN = auto()
    """It is in another PID namespace, as of a container."""
    OTHER_BOOT = auto()
    """It is of an earlier boot, or on another host."""
    NOT_FOUND = auto()
    """It ended or is in another PID namespace: names of version 0.1 do not say where it ran."""


MAY_RUN = (Owner.UNSEEN, Owner.OTHER_BOOT, Owner.NOT_FOUND)
"""Owners that may run where this process does not see them."""


def stamp() -> str:
    """A new name of this process."""
    started = _start_ticks(os.getpid())
    return f"{STAMP}-{os.getpid()}-{started}-{_boot()}.{_space()}-{secrets.token_hex(4)}"


def owner_of(name: str) -> Owner | None:
    """What is known of a stamped name's process; None if the name is no stamp."""
    parts = name.split("-")
    if len(parts) not in (4, 5) or parts[0] != STAMP or not parts[1].isdigit():
        return None
    has_place = len(parts) == 5
    if has_place:
        boot, _, space = parts[3].partition(".")
        if boot != _boot():
            return Owner.OTHER_BOOT
        if space != _space():
            return Owner.UNSEEN
    if _start_ticks(int(parts[1])) == parts[2]:
        return Owner.RUNS
    return Owner.ENDED if has_place else Owner.NOT_FOUND


def is_abandoned(name: str) -> bool:
    """True for a stamped name of this host whose process no longer runs."""
    return owner_of(name) in (Owner.ENDED, Owner.OTHER_BOOT, Owner.NOT_FOUND)


def abandoned(folder: Path, prefix: str = "") -> Iterator[Path]:
    """Entries of a folder, named by the prefix and a stamp, whose process no longer runs. Those of processes
    that may run where this one cannot see them are left out until they are old."""
    for path in folder.glob(f"{prefix}{PATTERN}"):
        owner = owner_of(path.name.removeprefix(prefix))
        if owner is Owner.ENDED or (owner in MAY_RUN and _is_old(path)):
            yield path


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.lstat().st_mtime > OLD_SECONDS
    except OSError:
        return False


@cache
def _boot() -> str:
    try:
        return _short(Path("/proc/sys/kernel/random/boot_id").read_text())
    except OSError:
        return "0"


@cache
def _space() -> str:
    """This process's PID namespace."""
    try:
        return _short(str(Path("/proc/self/ns/pid").readlink()))
    except OSError:
        return "0"


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _start_ticks(pid: int) -> str | None:
    """Start time of a process in clock ticks since boot (/proc/PID/stat field 22); None if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else fields[19]
