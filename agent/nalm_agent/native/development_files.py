# SPDX-License-Identifier: Apache-2.0
"""Files of this host that builds compile in: headers, static libraries, and files that say where these are.

A file is known by its path, its size and its time of change, as compilers are: files of equal packages are
equal. Shared libraries are not among them: a run loads those of the host that it is on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from stat import S_ISDIR, S_ISREG

READABLE = "NALM_BUILD_READ"
"""Environment variable: further directories of this host that builds may read, separated by colons."""
PACKAGES = "PKG_CONFIG_PATH"
_ALL_FILES = ("/usr/include", "/usr/local/include")
"""Headers of C++ have no suffix."""
_BY_SUFFIX = (
    "opt",
    "usr/lib/pkgconfig",
    "usr/lib/*-linux-gnu*",
    "usr/lib64",
    "usr/local/lib",
    "usr/local/lib64",
    "usr/local/share/pkgconfig",
    "usr/share/pkgconfig",
)
"""Patterns below the root."""
_SUFFIXES = (".a", ".cmake", ".h", ".hh", ".hpp", ".inc", ".o", ".pc")
_NOT_COMPILED_IN = ("node_modules", "perl", "python", "ruby")
"""Beginnings of the names of large directories that hold other languages' files."""


def folders_of(variable: str) -> list[str]:
    """The directories that a variable names, as `READABLE` and `PACKAGES` do."""
    return [path for path in os.environ.get(variable, "").split(":") if path]


def development_digest() -> str:
    """One digest of the files as they are now."""
    digest = sha256()
    for path, size, changed in _stamps():
        digest.update(f"{path}\0{size}\0{changed}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _stamps() -> Iterator[tuple[str, int, int]]:
    seen = set[tuple[int, int]]()
    for folder in (*_ALL_FILES, *folders_of(READABLE)):
        yield from _below(folder, seen, by_suffix=False)
    of_libraries = [str(folder) for pattern in _BY_SUFFIX for folder in sorted(Path("/").glob(pattern))]
    for folder in (*of_libraries, *folders_of(PACKAGES)):
        yield from _below(folder, seen, by_suffix=True)


def _below(path: str, seen: set[tuple[int, int]], *, by_suffix: bool) -> Iterator[tuple[str, int, int]]:
    """A file, or all below a directory, also behind links. seen: the directories so far."""
    try:
        status = Path(path).stat()
        if S_ISREG(status.st_mode):
            yield path, status.st_size, status.st_mtime_ns
            return
        place = status.st_dev, status.st_ino
        if not S_ISDIR(status.st_mode) or place in seen:
            return
        seen.add(place)
        with os.scandir(path) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:  # it cannot be read, is a link to nothing, or has just gone
        return
    for entry in entries:
        is_folder = Path(entry).is_dir() if entry.is_symlink() else entry.is_dir()
        named = not entry.name.startswith(_NOT_COMPILED_IN) if is_folder else entry.name.endswith(_SUFFIXES)
        if named or not by_suffix:
            yield from _below(entry.path, seen, by_suffix=by_suffix)
