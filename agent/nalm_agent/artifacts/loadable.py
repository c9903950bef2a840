# SPDX-License-Identifier: Apache-2.0
"""Executables and shared libraries of a build, and which of them the loader loads together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import file_digest
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from elftools.elf.elffile import ELFFile

from nalm_agent.artifacts.artifact_file import open_file
from nalm_agent.artifacts.code_digest import digest_of_loaded
from nalm_agent.artifacts.elf_image import held_bytes, loaded_bytes, needed_libraries

_MAGIC = b"\x7fELF"
_TYPE, _MACHINE = slice(16, 18), slice(18, 20)
_RELOCATABLE = (b"\x01\x00", b"\x00\x01")
"""ET_REL, in either byte order."""
_BPF = (b"\xf7\x00", b"\x00\xf7")
"""EM_BPF, in either byte order: an object file that an NF loads, and no linker."""
_ARCHIVES = (b"!<arch>\n", b"!<thin>\n")


@dataclass(frozen=True)
class Loadable:
    """An executable or shared library of a build."""

    digest: str
    """Digest of its loaded contents."""
    needed: list[str]
    """Names of the libraries that the loader loads with it."""
    names: list[str]
    """Its own name, and the names of links to it."""
    loaded_bytes: int | None = None
    """Size of its loaded sections in the file, without debug information; None if it is not a valid ELF
    file."""
    code_bytes: int | None = None
    """Size of its section .text."""


def loadable_files(build: Path) -> dict[str, Loadable]:
    """All loadable files of a build directory, by relative path."""
    found, names = dict[str, Loadable](), dict[str, list[str]]()
    for path in files_below(build):
        below = str(path.relative_to(build))
        if path.is_symlink():
            target = target_of(path)
            if target.is_relative_to(build.resolve()):
                names.setdefault(str(target.relative_to(build.resolve())), []).append(path.name)
        elif is_program(path):
            with open_file(path, largest_bytes=None) as file:
                found[below] = _read(file)
    for below, one in found.items():
        one.names.extend(sorted({Path(below).name, *names.get(below, [])}))
    return found


def target_of(path: Path) -> Path:
    """The target of links; for a loop, a path of the loop."""
    return Path(os.path.realpath(path))


def files_below(folder: Path) -> Iterator[Path]:
    """Regular files and links below a directory, in order, without following links."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = Path(place, name)
            if path.is_symlink() or path.is_file():
                yield path


def links_below(folder: Path) -> dict[str, str]:
    """Where each symbolic link below a directory leads, by its path."""
    return {
        str(path.relative_to(folder)): str(path.readlink())
        for place, folders, files in os.walk(folder)
        for name in (*folders, *files)
        if (path := Path(place, name)).is_symlink()
    }


def is_program(path: Path) -> bool:
    """True if a regular file is an ELF file that a loader can load, not an object file."""
    head = _head(path)
    return head.startswith(_MAGIC) and head[_TYPE] not in _RELOCATABLE


def is_for_the_linker(path: Path) -> bool:
    """True if a regular file is an object file, but not of BPF, or an archive of object files."""
    head = _head(path)
    is_object = head.startswith(_MAGIC) and head[_TYPE] in _RELOCATABLE
    return head.startswith(_ARCHIVES) or (is_object and head[_MACHINE] not in _BPF)


def brought_in(first: Iterable[str], files: Mapping[str, Loadable]) -> set[str]:
    """The files that are loaded with `first`, directly or indirectly.

    A library is found by its name in any directory, so the result has at least the files that the loader
    loads.
    """
    by_name: dict[str, list[str]] = {}
    for below, one in files.items():
        for name in one.names:
            by_name.setdefault(name, []).append(below)
    found, ahead = set[str](), [below for below in first if below in files]
    while ahead:
        below = ahead.pop()
        if below not in found:
            found.add(below)
            ahead += [other for name in files[below].needed for other in by_name.get(Path(name).name, [])]
    return found


def bytes_digest(file: BinaryIO) -> str:
    """Digest of a file from its beginning."""
    file.seek(0)
    return file_digest(cast(BufferedReader, file), "sha256").hexdigest()


def _head(path: Path) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # neither nalm nor the NF can read it
        return b""
    with os.fdopen(handle, "rb") as file:
        return file.read(_MACHINE.stop)


def _read(file: BinaryIO) -> Loadable:
    """Reads a file. If it is not a valid ELF file, the digest covers all its bytes."""
    try:
        elf = ELFFile(file)
        if held_bytes(elf) <= file.seek(0, 2):
            text = elf.get_section_by_name(".text")
            return Loadable(
                digest=digest_of_loaded(file, elf),
                needed=needed_libraries(elf),
                names=[],
                loaded_bytes=loaded_bytes(elf),
                code_bytes=text["sh_size"] if text is not None else 0,
            )
    except Exception:  # a damaged file makes the reader fail in any of its places
        pass
    return Loadable(digest=bytes_digest(file), needed=[], names=[])
