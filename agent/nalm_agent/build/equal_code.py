# SPDX-License-Identifier: Apache-2.0
"""Decides whether two builds run the same code, by what a run loads, wherever functions lie.

Files outside of {build} and {source} belong to the host and are the same for both arms of a run. Another run
may have others: packages are upgraded.
"""

from __future__ import annotations

import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from nalm_core.text.amounts import listed_at_most

from nalm_agent.artifacts import function_digest
from nalm_agent.artifacts.contents import data_digest
from nalm_agent.artifacts.function_digest import Table
from nalm_agent.artifacts.unnamed_data import MOST_FILES, differing_unnamed
from nalm_agent.build.build import Built
from nalm_agent.runtime.errors import BuildError

MOST_READ_BYTES = 64 << 20
"""Largest program whose functions are compared by name, since disassembling is slow."""
NAMED_IN_A_NOTE = 3

_OF_THE_KERNEL = (Path("/dev"), Path("/proc"), Path("/run"), Path("/sys"))
"""Files there are devices, or memory that processes share: a run does not load them."""

FileOfHost = tuple[str, int, int]
"""Path, bytes, and ns of the last change."""
Loaded = Mapping[str, str]
"""Digest of each file that a run loads, by its path: below {build}, or `{source}/...`."""


def loaded(built: Built, mapped: frozenset[Path] | None, read: Iterable[str] = ()) -> Loaded | None:
    """What a run of a build loads: files that nalm.toml names, libraries of the loader, and files that the NF
    had mapped, or read below {build}, in its try-out. None if that is unknown."""
    if mapped is None:
        return None
    build, source = built.directory.resolve(), built.source.resolve()
    known = built.contents.digests
    found = {path: known[path] for path in (*built.contents.named, *built.contents.data)}
    try:
        for path in mapped:
            if path.is_relative_to(build):
                below = str(path.relative_to(build))
                found[below] = known.get(below) or data_digest(path)
            elif path.is_relative_to(source):
                found[f"{{source}}/{path.relative_to(source)}"] = data_digest(path)
        for below in read:
            found[below] = data_digest(build / below)
    except BuildError:  # the file was removed or can no longer be read
        return None
    return found


def loaded_of_host(built: Built, mapped: frozenset[Path], work: Path) -> list[FileOfHost]:
    """Files of the host that the NF had mapped in its try-out, such as libraries. work: where it writes."""
    apart = (built.directory.resolve(), built.source.resolve(), work.resolve(), *_OF_THE_KERNEL)
    found = list[FileOfHost]()
    for path in sorted(mapped):
        if any(path.is_relative_to(one) for one in apart):
            continue
        try:
            status = path.stat()
        except OSError:
            found.append((str(path), 0, 0))
            continue
        if stat.S_ISREG(status.st_mode):
            found.append((str(path), status.st_size, status.st_mtime_ns))
    return found


def differing(base: Loaded, head: Loaded) -> list[str]:
    """Paths whose files differ or exist on one side only."""
    return sorted(path for path in base.keys() | head.keys() if base.get(path) != head.get(path))


def same_untried(base: Built, head: Built) -> bool:
    """True if two builds run the same, whatever a run loads: they are equal, or differ only in the places of
    functions in programs that nalm.toml names. Data that it does not name may differ."""
    if base.links != head.links:
        return False
    named = base.contents.named | head.contents.named
    paths = differing(base.contents.digests, head.contents.digests)
    return named.issuperset(paths) and _only_placed(base, head, paths)


def unnamed_differing(base: Built, head: Built) -> list[str]:
    """Data files that nalm.toml does not name, and links, that differ between two builds, by path."""
    data = differing_unnamed(base.directory, base.unnamed_data, head.directory, head.unnamed_data)
    return sorted({*data, *differing(base.links, head.links)})


def not_compared(base: Built, head: Built) -> list[str]:
    """A note if a build has too many such files to compare; else nothing."""
    if base.directory == head.directory or None not in (base.unnamed_data, head.unnamed_data):
        return []
    return [
        f"a build has more than {MOST_FILES:,} data files that nalm.toml does not name: they were not "
        "compared; [build] data must name those that the NF reads"
    ]


def unnamed_note(paths: Sequence[str]) -> str:
    """A note about such files where the file system does not show whether the NF reads them."""
    named = listed_at_most(paths, NAMED_IN_A_NOTE)
    return f"different in head: {named}; if the NF reads that, [build] data must name it"


def same_as_loaded(base: Built, head: Built, of_base: Loaded | None, of_head: Loaded | None) -> bool:
    """True if two runs load the same functions, at whatever addresses; False if that is unknown."""
    if of_base is None or of_head is None:
        return False
    return of_base.keys() == of_head.keys() and _only_placed(base, head, differing(of_base, of_head))


def not_loaded_note(base: Built, head: Built, of_base: Loaded, of_head: Loaded) -> str | None:
    """A note about files that differ between two builds and are not loaded; None if there are none."""
    paths = [
        path
        for path in differing(base.contents.digests, head.contents.digests)
        if path not in of_base and path not in of_head
    ]
    if not paths:
        return None
    named = listed_at_most(paths, NAMED_IN_A_NOTE)
    return f"not loaded by either arm, and different in head: {named}"


def are_programs(base: Built, head: Built, paths: Iterable[str]) -> bool:
    """True if all files at these paths are programs of both builds: they differ in code or data."""
    return all(path in base.contents.programs and path in head.contents.programs for path in paths)


def data_alone(base: Built, head: Built, of_base: Loaded | None, of_head: Loaded | None) -> bool:
    """True if two runs load equal programs, and data that differ; False if that is unknown."""
    if of_base is None or of_head is None:
        return False
    paths = differing(of_base, of_head)
    programs = base.contents.programs.keys() | head.contents.programs.keys()
    return bool(paths) and programs.isdisjoint(paths)


def changed_functions(
    base: Built, head: Built, of_base: Collection[str], of_head: Collection[str]
) -> list[str] | None:
    """Functions of base's programs at its paths, and of head's at its own, whose code or data differ.

    None if they cannot be read, or if none differs by itself: then one uses other data or functions than
    before, of equal contents.
    """
    sides = [
        (one, [path for path in paths if path in one.contents.programs])
        for one, paths in ((base, of_base), (head, of_head))
    ]
    if sum(_size(one, path) for one, paths in sides for path in paths) > MOST_READ_BYTES:
        return None
    old, new = (_functions(one, paths) for one, paths in sides)
    if old is None or new is None:
        return None
    found = function_digest.changed_functions(old, new)
    programs = sorted({path for _, paths in sides for path in paths})
    return found if found or _only_placed(base, head, programs) else None


def _only_placed(base: Built, head: Built, paths: Iterable[str]) -> bool:
    by_size = sorted(paths, key=lambda path: _size(base, path))  # most often a small one tells
    return are_programs(base, head, by_size) and all(
        function_digest.placement_only(base.functions(path), head.functions(path)) for path in by_size
    )


def _functions(built: Built, programs: Iterable[str]) -> Table | None:
    """Functions of some of the build's programs; None if those of one cannot be read."""
    found = [built.functions(path) for path in programs]
    tables = [one for one in found if one is not None]
    return (
        Table("", tuple(each for one in tables for each in one.functions))
        if len(tables) == len(found)
        else None
    )


def _size(built: Built, path: str) -> int:
    there = path in built.contents.programs
    return (built.directory / path).stat().st_size if there else 0
