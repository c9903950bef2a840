# SPDX-License-Identifier: Apache-2.0
"""The store's contents and size limit. When it is too large, the least recently used entries are removed, but
none that is in use.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nalm_agent.runtime.errors import UsageError
from nalm_agent.store import file_lock
from nalm_agent.store.store import Store, size_of

LIMIT = "NALM_STORE_LIMIT"
"""Environment variable: bytes, or with a suffix K, M, G, T."""
LARGEST_BYTES = 20 << 30
DISK_SHARE = 0.2
"""Default limit: LARGEST_BYTES, or this share of the disk if that is less."""
_SUFFIXES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True)
class Entry:
    kind: str
    name: str
    """A directory's key, a document's file name."""
    size: int
    """Bytes on disk."""
    used: float
    """When it was last used, seconds since 1970."""
    is_directory: bool


def parse_bytes(text: str) -> int:
    """A size in bytes from text such as 500M, 20G or 123. Raises UsageError if it is not a size."""
    found = re.fullmatch(r"(\d{1,18}(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if found is None:
        raise UsageError(f"{text!r} is not a size", hint="write 500M, 20G, or a number of bytes")
    return int(float(found[1]) * _SUFFIXES[found[2].upper()])


def limit_bytes(store: Store) -> int:
    """The store's size limit: NALM_STORE_LIMIT or the default."""
    given = os.environ.get(LIMIT)
    if given:
        return parse_bytes(given)
    store.root.mkdir(parents=True, exist_ok=True)
    return min(LARGEST_BYTES, int(DISK_SHARE * shutil.disk_usage(store.root).total))


def entries(store: Store) -> list[Entry]:
    """All that is in the store, least recently used first."""
    found = [entry for path in store.root.glob("*/*") for entry in _entry(path)]
    return sorted(found, key=lambda entry: entry.used)


def in_use(store: Store, entry: Entry) -> bool:
    """True while a process, this one included, uses or makes a directory."""
    if not entry.is_directory:
        return False
    with file_lock.unused(store.path(entry.kind, f"{entry.name}.lock")) as lock:
        return lock is None


def prune(store: Store, limit: int) -> list[Entry]:
    """Removes the least recently used until the store is within a limit of bytes. Returns what it removed."""
    there, removed = entries(store), list[Entry]()
    total = sum(entry.size for entry in there)
    for entry in there:
        if total <= limit:
            break
        if entry.is_directory:
            if not store.remove_unused(entry.kind, entry.name):
                continue
        else:
            store.path(entry.kind, entry.name).unlink(missing_ok=True)
        removed.append(entry)
        total -= entry.size
    return removed


def _entry(path: Path) -> Iterator[Entry]:
    if path.name.startswith(".") or path.suffix == ".lock":
        return
    try:
        status = path.stat()
        size = _recorded(path) if path.is_dir() else 512 * status.st_blocks
    except FileNotFoundError:  # another process removed it
        return
    yield Entry(path.parent.name, path.name, size, status.st_mtime, path.is_dir())


def _recorded(path: Path) -> int:
    """Size of a directory as recorded when it was made; counted where that is missing."""
    try:
        return int(path.with_name(f"{path.name}.lock").read_text())
    except (FileNotFoundError, ValueError):
        return size_of(path)
