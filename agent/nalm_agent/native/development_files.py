# SPDX-License-Identifier: Apache-2.0
"""Files of this host that builds compile in: headers, static libraries, and files that say where these are.

A file is known by its path, its size and its time of change, as compilers are: files of equal packages are
equal. Shared libraries are not among them: a run loads those of the host that it is on.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from stat import S_ISDIR, S_ISREG

_Stamp = tuple[str, int, int]
"""Path, size, time of change in ns."""
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
    of_libraries = [str(folder) for pattern in _BY_SUFFIX for folder in sorted(Path("/").glob(pattern))]
    seen, found = set[tuple[int, int]](), list[_Stamp]()
    for path in (*_ALL_FILES, *folders_of(READABLE)):
        _collect(path, seen, found, by_suffix=False)
    for path in (*of_libraries, *folders_of(PACKAGES)):
        _collect(path, seen, found, by_suffix=True)
    lines = "".join(f"{path}\0{size}\0{changed}\0" for path, size, changed in sorted(found))
    return sha256(lines.encode(errors="surrogateescape")).hexdigest()


def _collect(path: str, seen: set[tuple[int, int]], found: list[_Stamp], *, by_suffix: bool) -> None:
    """A file, or all below a directory, also behind links. seen: the directories so far."""
    try:
        status = os.stat(path)  # noqa: PTH116 (thousands of files: pathlib takes twice as long)
        if S_ISREG(status.st_mode):
            found.append((path, status.st_size, status.st_mtime_ns))
            return
        place = status.st_dev, status.st_ino
        if not S_ISDIR(status.st_mode) or place in seen:
            return
        seen.add(place)
        with os.scandir(path) as entries:
            below = [entry.path for entry in entries if not by_suffix or _counts(entry)]
    except OSError:  # it cannot be read, is a link to nothing, or has just gone
        return
    for one in sorted(below):
        _collect(one, seen, found, by_suffix=by_suffix)


def _counts(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(_SUFFIXES) or (entry.is_dir() and not entry.name.startswith(_NOT_COMPILED_IN))
