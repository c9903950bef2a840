# SPDX-License-Identifier: Apache-2.0
"""Data files of a build that nalm.toml does not name, and which of them a run reads.

A file system notes when a file was last read. Before a run, the times of all these files are set to one
moment long ago; the files whose times moved have been read.
"""

from __future__ import annotations

import filecmp
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from nalm_agent.artifacts.contents import Contents
from nalm_agent.artifacts.loadable import files_below, is_for_the_linker

MOST_FILES = 20_000
_YEAR_NS = 365 * 24 * 3600 * 10**9
_OF_BUILD_SYSTEMS = frozenset(
    (
        *("CMakeFiles", "Testing", "meson-info", "meson-logs", "meson-private", ".deps", ".libs"),
        *(".fingerprint", "incremental", "deps", ".git"),
        *(
            "CMakeCache.txt",
            "Makefile",
            "build.ninja",
            "compile_commands.json",
            "config.log",
            "config.status",
        ),
        *(".ninja_deps", ".ninja_log", "install_manifest.txt", "libtool", ".rustc_info.json"),
    )
)
"""Names of files and directories that build systems write for themselves."""
_OF_COMPILERS = (
    *(".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc", ".rs", ".go", ".s", ".S", ".i", ".ii"),
    *(".obj", ".a", ".d", ".P", ".la", ".lo", ".pc", ".cmake", ".gch", ".pch", ".dwo", ".gcno"),
    *(".rlib", ".rmeta", ".log"),
)
"""Suffixes of sources, and of files between sources and programs; not of objects, which may be of BPF."""


def unnamed_data(build: Path, contents: Contents) -> list[str] | None:
    """Paths below the build directory; None if there are too many to look at."""
    root = build.resolve()
    found = (
        below
        for path in files_below(root)
        if not path.is_symlink()
        and path.suffix not in _OF_COMPILERS
        and (below := str(path.relative_to(root))) not in contents.programs
        and below not in contents.data
        and _OF_BUILD_SYSTEMS.isdisjoint(below.split("/"))
        and not is_for_the_linker(path)
    )
    several = list(islice(found, MOST_FILES + 1))
    return several if len(several) <= MOST_FILES else None


def differing_unnamed(
    old: Path, of_old: Sequence[str] | None, new: Path, of_new: Sequence[str] | None
) -> list[str]:
    """Paths of such files that differ between two builds, or exist in one; none if there are too many."""
    if old == new or of_old is None or of_new is None:
        return []
    one_only = set(of_old) ^ set(of_new)
    both = sorted(set(of_old) & set(of_new))
    _, differ, unreadable = filecmp.cmpfiles(old, new, both, shallow=False)
    return sorted(one_only | set(differ) | set(unreadable))


@dataclass(frozen=True)
class ReadWatch:
    """Files below a build directory, with one time of last access."""

    build: Path
    paths: Sequence[str]
    moment_ns: int

    def read(self) -> list[str]:
        """The files that were read since, or that another process watches, too."""
        return [path for path in self.paths if not self._is_unread(path)]

    def set(self) -> None:
        """Sets the time of last access. Raises OSError."""
        for path in self.paths:
            place = self.build / path
            os.utime(place, ns=(self.moment_ns, place.stat().st_mtime_ns))

    def _is_unread(self, path: str) -> bool:
        try:
            return (self.build / path).stat().st_atime_ns == self.moment_ns
        except OSError:
            return False


def watch_of(build: Path, paths: Sequence[str] | None) -> ReadWatch | None:
    """Watches such files of a build from now on; None if the file system does not note reading."""
    if paths is None:
        return None
    # A moment of this process: another one that watches the same build sets another.
    watch = ReadWatch(build, paths, time.time_ns() - 10 * _YEAR_NS - os.getpid() * 10**9)
    try:
        watch.set()
        if paths:
            (build / paths[0]).read_bytes()
            if watch.read() != paths[:1]:
                return None
            watch.set()
    except OSError:
        return None
    return watch
