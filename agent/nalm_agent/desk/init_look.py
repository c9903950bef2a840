# SPDX-License-Identifier: Apache-2.0
"""Examines an NF's repository: build system, DPDK, probe, stages, captures.

Files, bytes and time are bounded; the result names what was left out.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from nalm_agent.desk.init_functions import PacketFunctions, Source

SOURCE_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp")
CAPTURE_SUFFIXES = (".pcap", ".pcapng")
MAX_FILES = 20_000
MOST_NAME = 64
"""Letters of a project's name."""
MAX_FILE_BYTES = 1 << 20
SECONDS = 8.0
"""Time limit for finding and reading files."""
QUIET_SECONDS = 1.0
"""Time before the first line of progress and between two lines."""
_SKIPPED = {".git", "build", "node_modules"}
_OURS = ("nalm_probe.h", "nalm_loop.h")

EXECUTABLES = {
    "meson.build": re.compile(r"executable\(\s*+'([^'\n]++)'"),
    "CMakeLists.txt": re.compile(r"add_executable\(\s*+([A-Za-z0-9_.+-]++)"),
    "Makefile": re.compile(
        r"^[ \t]*+(?:APP|TARGET|PROG)[ \t]*+[:?]?=[ \t]*+([A-Za-z0-9_.+-]++)", re.MULTILINE
    ),
    "configure.ac": re.compile(r"^bin_PROGRAMS[ \t]*+\+?=[ \t]*+([A-Za-z0-9_.+-]++)", re.MULTILINE),
}
_NAMES_PROGRAMS = {"configure.ac": "Makefile.am"}
"""The file that names programs, where it is not the build file."""
IN_PLACE = ("Makefile", "configure.ac")
"""Build files that make programs among the sources."""
_TAKES_OUTPUT = re.compile(r"\$[({]O[)}]|^O[ \t]*+\?=", re.MULTILINE)
_IN_BUILD = re.compile(r"\bbuild/\$[({](?:APP|TARGET|PROG)[)}]")
"""A Makefile like those of DPDK's examples."""
_PROJECT = re.compile(r"\bproject\(\s*+'?([A-Za-z0-9_.+-]++)")
_STAGE = re.compile(r"\{\s*+\"([A-Za-z0-9][A-Za-z0-9_.-]{0,63}+)\"\s*+,\s*+(?:0|NALM_STAGE_APART)\b")
_LOOP = re.compile(r"\bnalm_loop\([^,;\"]*+,\s*+\"([A-Za-z0-9][A-Za-z0-9_.-]{0,63}+)\"\s*+,\s*+(\w++)")

Progress = Callable[[str], None]


@dataclass(frozen=True)
class DetectedNf:
    """What was found in the repository."""

    name: str
    build_file: str | None
    folder: str
    """Directory of the build file, below the root."""
    takes_output: bool
    """True for a Makefile that takes its output directory as O."""
    executable: str
    """Path below the build directory."""
    programs: list[str]
    """All that build files name. If none, the executable is a guess from the directory's name."""
    uses_dpdk: bool
    includes_probe: bool
    stages: dict[str, list[str]]
    """C functions of each stage that the sources name, by stage."""
    loops: bool
    """True if its main function passes a capture to nalm_loop."""
    packet_functions: list[str]
    """C functions that take packets: candidates for stages if there is no probe."""
    captures: list[str]
    left_out: list[str] = field(default_factory=list)
    """What was not examined, and why."""

    @property
    def lent(self) -> bool:
        """True if the NF gets a lent probe."""
        return self.uses_dpdk and not self.includes_probe


class _Bounds:
    """The remaining time and the list of what was left out."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._begin = self._said = time.monotonic()
        self.left_out: list[str] = []

    def over(self, doing: str) -> bool:
        """True, with a note, when the time is up. Until then prints a line of progress now and then."""
        now = time.monotonic()
        if now - self._begin > SECONDS:
            self.left_out.append(f"{doing}: stopped after {SECONDS:g} s")
            return True
        if now - self._said > QUIET_SECONDS:
            self._said = now
            self._progress(doing)
        return False


def look_at(root: Path, progress: Progress = lambda doing: None) -> DetectedNf:
    """Reads build files and sources within the bounds, those nearest to the root first."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.resolve().name)[:MOST_NAME].strip("-._") or "nf"
    bounds = _Bounds(progress)
    files = _files(root, bounds)
    build = _build_file(files)
    build_file, folder = (build.name, build.parent) if build else (None, root)
    build_text = _text(build) or "" if build else ""
    takes_output = build_file == "Makefile" and _TAKES_OUTPUT.search(build_text) is not None
    programs = _programs(folder, build_file, files) if build_file else []
    if build_file in IN_PLACE and not takes_output:
        below = folder.relative_to(root) / ("build" if _IN_BUILD.search(build_text) else "")
        programs = [(below / program).as_posix() for program in programs]
    uses_dpdk, includes_probe = "libdpdk" in build_text, False
    stages: dict[str, list[str]] = {}
    loops: dict[str, list[str]] = {}
    functions = PacketFunctions()
    for source in _sources(root, files, bounds):
        uses_dpdk = uses_dpdk or "rte_eal_init" in source.text
        functions.add(source)
        if any(header in source.text for header in _OURS):
            includes_probe = True
            loops |= {
                stage: ["main", "nalm_loop*", function] for stage, function in _LOOP.findall(source.text)
            }
            stages |= {stage: [f"{stage}_process"] for stage in _STAGE.findall(source.text)}
    captures = [path for path in files if path.suffix in CAPTURE_SUFFIXES]
    return DetectedNf(
        name=name,
        build_file=build_file,
        folder=folder.relative_to(root).as_posix(),
        takes_output=takes_output,
        executable=_likeliest(programs, build_text) or name,
        programs=programs,
        uses_dpdk=uses_dpdk,
        includes_probe=includes_probe,
        stages=stages | loops,
        loops=bool(loops),
        packet_functions=functions.likeliest(),
        captures=[path.relative_to(root).as_posix() for path in captures],
        left_out=bounds.left_out,
    )


def _build_file(files: Sequence[Path]) -> Path | None:
    """The build file nearest to the root; in one directory, by the order of `EXECUTABLES`."""
    found = [path for path in files if path.name in EXECUTABLES and _builds(path)]
    order = list(EXECUTABLES)
    return min(found, key=lambda path: (len(path.parts), path.parent, order.index(path.name)), default=None)


def _programs(root: Path, build_file: str, files: Sequence[Path]) -> list[str]:
    """Programs that the build makes, by their paths below its directory: Meson and CMake put those of a
    folder's build file into a folder of the same name."""
    named = _NAMES_PROGRAMS.get(build_file, build_file)
    below = (one for one in files if one.name == named and one.is_relative_to(root))
    parts = [one for one in below if build_file != "Makefile" or one.parent == root]
    return [
        (path.parent.relative_to(root) / name).as_posix()
        for path in parts
        for name in EXECUTABLES[build_file].findall(_text(path) or "")
    ]


def _likeliest(programs: Sequence[str], build_text: str) -> str | None:
    """The program that has the project's name, else the one nearest to the root."""
    project = _PROJECT.search(build_text)
    named = [one for one in programs if project and PurePosixPath(one).name == project[1]]
    return next(iter([*named, *programs]), None)


def _builds(path: Path) -> bool:
    """True if the file is a build of its own: a meson.build without project() is part of another build."""
    return path.is_file() and (path.name != "meson.build" or "project(" in (_text(path) or ""))


def _text(path: Path) -> str | None:
    """The file's first bytes as text; None if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES).decode(errors="replace")
    except OSError:
        return None


def _files(root: Path, bounds: _Bounds) -> list[Path]:
    """Files below the root, ordered by depth and name. Links are not followed."""
    found: list[Path] = []
    level = [root]
    while level:
        below: list[Path] = []
        for directory in level:
            if bounds.over(f"listing files, {len(found)} found"):
                return found
            entries = _entries(directory)
            below += [
                one for one in entries if one.is_dir() and not one.is_symlink() and one.name not in _SKIPPED
            ]
            found += [one for one in entries if one.is_file()]
            if len(found) > MAX_FILES:
                bounds.left_out.append(f"files beyond the first {MAX_FILES}")
                return found[:MAX_FILES]
        level = below
    return found


def _entries(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def _sources(root: Path, files: list[Path], bounds: _Bounds) -> Iterator[Source]:
    sources = [path for path in files if path.suffix in SOURCE_SUFFIXES and path.name not in _OURS]
    unread = 0
    for number, path in enumerate(sources):
        if bounds.over(f"reading sources, {number} of {len(sources)} files"):
            break
        text = _text(path)
        if text is None:
            unread += 1
        elif len(text) >= MAX_FILE_BYTES:
            bounds.left_out.append(f"{path.relative_to(root)} beyond its first {MAX_FILE_BYTES >> 20} MiB")
        if text is not None:
            yield Source(path.relative_to(root), text)
    if unread:
        bounds.left_out.append(f"{unread} source files that could not be read")
